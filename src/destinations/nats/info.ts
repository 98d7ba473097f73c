import { DeliveryError } from '../contract.ts'

/** Limit: headers of one NATS message; the library takes quadratic time for them. More end the connection. */
const MAX_HEADERS = 64
/** Limit: bytes of the headers of one NATS message. More end the connection. */
const MAX_HEADER_BYTES = 16 * 1024
/** Limit: the message size that a NATS server may announce, in bytes; a greater one counts as this. */
const MAX_PAYLOAD_BYTES = 64 * 1024 * 1024

/** The fields of INFO that we and the library use. */
export interface NatsInfo {
  server_id: string
  version: string
  proto: number
  headers: boolean
  max_payload: number
  tls_required: boolean
  tls_available: boolean
  ldm: boolean
}

/** Known fields only, each with its type checked: an invalid version stops the library's reader without an error. */
export function checkedInfo(text: string): NatsInfo {
  const given = recordIn(text)
  const { version, max_payload: payload, proto } = given
  if (typeof version !== 'string' || !/^\d{1,4}\.\d{1,4}\.\d{1,6}(?:[-+.][\w.+-]{0,40})?$/.test(version))
    throw new DeliveryError('retry', 'The NATS server sent no valid version.')
  if (typeof payload !== 'number' || !Number.isSafeInteger(payload) || payload <= 0)
    throw new DeliveryError('retry', 'The NATS server does not say how large a message may be.')
  return {
    server_id: 'server',
    version,
    proto: proto === 1 ? 1 : 0,
    headers: given['headers'] === true,
    max_payload: Math.min(payload, MAX_PAYLOAD_BYTES),
    tls_required: given['tls_required'] === true,
    tls_available: given['tls_available'] === true,
    ldm: given['ldm'] === true,
  }
}

function recordIn(text: string): Record<string, unknown> {
  try {
    const given: unknown = JSON.parse(text)
    if (typeof given === 'object' && given !== null && !Array.isArray(given)) return { ...given }
  } catch {
    // Reported below.
  }
  throw new DeliveryError('retry', 'The NATS server sent an INFO that cannot be read.')
}

/** Why the library could not read these headers; undefined when it can. */
export function headerFault(block: Buffer): string | undefined {
  if (block.length === 0) return undefined
  if (block.length > MAX_HEADER_BYTES) return `sent over ${MAX_HEADER_BYTES} bytes of headers`
  const [first = '', ...lines] = block.toString('utf8').split('\r\n', MAX_HEADERS + 4)
  const named = lines.filter((line) => line !== '')
  if (named.length > MAX_HEADERS) return `sent over ${MAX_HEADERS} headers`
  if (
    !first.startsWith('NATS/1.0') ||
    /[\r\n]/.test(first) ||
    !named.every((line) => /^[!-9;-~]+:[^\r\n]*$/.test(line))
  )
    return 'sent headers that cannot be read'
  return undefined
}
