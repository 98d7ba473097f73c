import { decodePercent } from '#base/decode-percent.ts'

/** A query as it was written, less the pairs of some names, however these are spelled. */
export function withoutNames(query: string, names: ReadonlySet<string>): string {
  return query
    .split('&')
    .filter((pair) => pair !== '' && !names.has(nameOf(pair)))
    .join('&')
}

function nameOf(pair: string): string {
  const name = pair.split('=', 1)[0]!
  if (!/[%+]/.test(name)) return name
  return decodePercent(name.replaceAll('+', ' ')) ?? name
}
