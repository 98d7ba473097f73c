import { notInstalled, packaged } from './vendor-schema.ts'

const objects = '@types/facebook-nodejs-business-sdk/src/objects'

/**
 * The fields and edges of nodes in the types of Meta's SDK, which Meta generates from the description of its Graph API; or
 * the reason why they are not installed.
 */
export function sdkFields(...names: string[]): Set<string> | string {
  const known = new Set<string>()
  for (const name of names) {
    const text = packaged(`${objects}/${name}.d.ts`)
    if (text === undefined) return notInstalled
    const block = text.slice(
      text.indexOf('static get Fields()'),
      text.indexOf('}>', text.indexOf('static get Fields()')),
    )
    for (const [, field = ''] of block.matchAll(/^\s+(\w+): "/gm)) known.add(field)
    for (const [, edge = ''] of text.matchAll(/^\s+get([A-Z]\w*)\(/gm)) known.add(snakeCase(edge))
  }
  return known
}

const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter, at: number) => `${at === 0 ? '' : '_'}${letter.toLowerCase()}`)
