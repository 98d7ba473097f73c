import { decodeText } from './lossless-json.ts'

/** How much of a document may come before its XML declaration ends. */
const DECLARATION_BYTES = 200

/**
 * Decodes a response. Markup may name its encoding: by a byte order mark, in the `Content-Type`, or in the XML declaration. Everything
 * else is UTF-8, as JSON always is, whatever a header says. An unknown encoding counts as UTF-8.
 */
export function decodeBody(bytes: Uint8Array, contentType: string | undefined): string {
  const [first, second] = bytes
  if (first === 0xfe && second === 0xff) return decodeAs('utf-16be', bytes)
  if (first === 0xff && second === 0xfe) return decodeAs('utf-16le', bytes)
  const start = Buffer.from(bytes.subarray(0, DECLARATION_BYTES)).toString('latin1')
  if (!/^\s*</.test(start)) return decodeText(bytes)
  const [, charset] = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType?.slice(0, 300) ?? '') ?? []
  const [, declared] = /^\s*<\?xml\s[^<>]*?\sencoding\s*=\s*["']([\w.:-]{1,40})/.exec(start) ?? []
  return decodeAs(charset ?? declared ?? 'utf-8', bytes)
}

function decodeAs(label: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder(label).decode(bytes)
  } catch {
    // The name of the encoding is unknown.
    return decodeText(bytes)
  }
}
