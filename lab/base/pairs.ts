/** Form and query parameters in their original order with duplicates, for OAuth 1 signatures and duplicate checks. */
export type Pair = readonly [name: string, value: string]

export class BadEncoding extends Error {}

export function parsePairs(text: string): Pair[] {
  return text
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const cut = part.indexOf('=')
      return cut < 0 ? [formDecode(part), ''] : [formDecode(part.slice(0, cut)), formDecode(part.slice(cut + 1))]
    })
}

export function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new BadEncoding(`not valid percent-encoded UTF-8: ${text}`)
  }
}

export const first = (pairs: readonly Pair[], name: string): string | undefined =>
  pairs.find(([key]) => key === name)?.[1]

export const without = (pairs: readonly Pair[], name: string): Pair[] => pairs.filter(([key]) => key !== name)

/** The first repeated name. */
export function repeated(pairs: readonly Pair[]): string | undefined {
  const seen = new Set<string>()
  for (const [name] of pairs) {
    if (seen.has(name)) return name
    seen.add(name)
  }
  return undefined
}
