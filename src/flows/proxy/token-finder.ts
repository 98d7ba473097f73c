/** Limit: rounds of percent-encoding in which the caller's token is looked for. */
const MAX_ENCODINGS = 5
/** Also another one of ours, such as that of the account in a call with a token for one service. */
const ANY_TOKEN = /tr[tp]_[\da-hjkmnp-tv-z]{69}/
const ENCODED = /%[\da-f]{2}/gi

/** Limit: prefixes of tokens whose Base64 is kept; there are two. */
const MAX_PREFIXES = 16

/** Finds a token in texts that go to a service: as it is, percent-encoded, or as a part of Base64. */
export type TokenFinder = (text: string) => boolean

export function createTokenFinder(token: string): TokenFinder {
  // A part that is shorter cannot contain it.
  const minBase64 = Math.floor((token.length * 4) / 3) - 2
  const isIn = (text: string): boolean => {
    if (text.includes(token) || ANY_TOKEN.test(text)) return true
    if (text.length < minBase64 || !beginningsOf(token).some((part) => text.includes(part))) return false
    return base64PartsOf(token).some((part) => text.includes(part))
  }
  return (given) => {
    let text = given
    for (let round = 0; ; round += 1) {
      if (isIn(text)) return true
      if (round === MAX_ENCODINGS || !text.includes('%')) return false
      const decoded = text.replaceAll(ENCODED, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
      if (decoded === text) return false
      text = decoded
    }
  }
}

const PREFIX = 4
const beginnings = new Map<string, string[]>()

/** The same of the prefix that all tokens of a kind have: few texts contain it, so little is encoded. */
function beginningsOf(token: string): string[] {
  const prefix = token.slice(0, PREFIX)
  const known = beginnings.get(prefix)
  if (known !== undefined) return known
  const parts = base64PartsOf(prefix)
  if (beginnings.size < MAX_PREFIXES) beginnings.set(prefix, parts)
  return parts
}

/** What Base64 and its alphabet for URLs write for a token, at each of the three places in a group of bytes, without what surrounds it. */
function base64PartsOf(token: string): string[] {
  const parts = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), Buffer.from(token)]).toString('base64')
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + token.length) * 8) / 6))
  })
  return [...new Set(parts.flatMap((part) => [part, part.replaceAll('+', '-').replaceAll('/', '_')]))]
}
