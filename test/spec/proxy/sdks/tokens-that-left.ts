import type { LoggedRequest } from '../../../../lab/base/request-log.ts'

/** Beginnings of everything that we issue: tokens of accounts and for one service, codes, tickets, an operator's token. */
const OURS = /tr[a-z]_[0-9A-Za-z-]{8,}/g

/**
 * What of ours is in these requests to a service, as it is, percent-encoded or in Base64, in any header, query or part of a
 * body. Empty if nothing left.
 */
export function tokensThatLeft(requests: readonly LoggedRequest[], tokens: readonly string[]): string[] {
  const hidden = tokens.flatMap(base64Parts)
  return requests.flatMap((request) => {
    const text = [
      `${request.method} ${request.target}`,
      ...request.rawHeaders.map(([name, value]) => `${name}: ${value}`),
      request.body,
    ].join('\n')
    const plain = `${text}\n${decoded(text)}`
    const found = [...(plain.match(OURS) ?? []), ...tokens.filter((token) => plain.includes(token))]
    const encoded = hidden.filter((part) => text.includes(part))
    return [...found, ...encoded].map((each) => `${request.method} ${request.path}: ${each}`)
  })
}

/** What of a token is in Base64 of any text around it: the same characters at one of three positions. */
function base64Parts(token: string): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const text = Buffer.from('\0'.repeat(shift) + token).toString('base64')
    // The first and the last characters depend on the text around the token.
    const part = text.slice(shift === 0 ? 0 : 4, -4)
    return [part, part.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** Every escape by itself, because other bytes need not be valid. */
function decoded(text: string): string {
  return text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
