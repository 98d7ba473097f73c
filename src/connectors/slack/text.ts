// `<https://a.test|label>`, `<@U1>`, `<#C1|general>`, `<!here>`; no part contains an angle bracket.
const REFERENCE = /<([^<>|]*)(?:\|([^<>]*))?>/g
const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }

/** The text of a message as people read it. */
export function readable(text: string | null | undefined): string | undefined {
  return text
    ?.replaceAll(REFERENCE, (_whole, target: string, label: string | undefined) => {
      const isName = /^[@#!]/.test(target)
      if (label === undefined || label === '') return target.startsWith('!') ? `@${target.slice(1)}` : target
      return isName ? `${target.startsWith('#') ? '#' : '@'}${label}` : `${label} (${target})`
    })
    .replaceAll(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity)
}

const referencesIn = (text: string | null | undefined): string[] =>
  [...(text ?? '').matchAll(REFERENCE)].map(([, target = '']) => target)

/** Ids of the people that a text mentions. */
export function mentionsIn(text: string | null | undefined): string[] {
  return referencesIn(text).flatMap((target) => (/^@[UW]\w+$/.test(target) ? [target.slice(1)] : []))
}

/** Web addresses in a text. */
export function addressesIn(text: string | null | undefined): string[] {
  return referencesIn(text)
    .filter((target) => /^https?:/.test(target))
    .map((target) => target.replaceAll('&amp;', '&'))
}
