import { percentEncode, reencodeFormComponent } from '#platform/formats/percent-encode.ts'

/** A name and its value, both percent-encoded. */
export type EncodedPair = readonly [name: string, value: string]

/** RFC 5849 section 3.4.1: method, base URI and parameters in the canonical form that is signed. */
export function signatureBaseString(method: string, url: URL, parameters: readonly EncodedPair[]): string {
  return [method.toUpperCase(), baseUri(url), normalizeParameters(parameters)].map(percentEncode).join('&')
}

/**
 * RFC 5849 section 3.4.1.2. The URL class has already lower-cased scheme and host, dropped default ports and kept the
 * path.
 */
export function baseUri(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`
}

/** RFC 5849 section 3.4.1.3.1 for a query or a form body: a name without `=` has an empty value, repeats are kept. */
export function formPairs(encoded: string): EncodedPair[] {
  return encoded
    .split('&')
    .filter((piece) => piece !== '')
    .map((piece) => {
      const equals = piece.indexOf('=')
      const name = equals < 0 ? piece : piece.slice(0, equals)
      const value = equals < 0 ? '' : piece.slice(equals + 1)
      return [reencodeFormComponent(name), reencodeFormComponent(value)]
    })
}

/** RFC 5849 section 3.4.1.3.2: sorted by encoded name, then by encoded value. */
export function normalizeParameters(parameters: readonly EncodedPair[]): string {
  return parameters
    .filter(([name]) => name !== 'oauth_signature')
    .toSorted(([nameA, valueA], [nameB, valueB]) => compareAscii(nameA, nameB) || compareAscii(valueA, valueB))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

function compareAscii(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
