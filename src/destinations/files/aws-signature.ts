import { createHash, createHmac } from 'node:crypto'

export interface SignedRequest {
  method: string
  /** With path and query as they are sent. */
  url: URL
  headers: Record<string, string>
  /** Hex digest of the body. */
  payloadHash: string
}

export interface Signer {
  keyId: string
  secret: string
  region: string
  service: string
}

export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

/** The `Authorization` header of AWS Signature Version 4. `headers` must include `host` and `x-amz-date`; all are signed. */
export function authorization(signer: Signer, request: SignedRequest): string {
  const headers = Object.entries(request.headers)
    .map(([name, value]) => [name.toLowerCase(), value.trim().replaceAll(/\s+/g, ' ')] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const names = headers.map(([name]) => name).join(';')
  const canonical = [
    request.method,
    request.url.pathname,
    canonicalQuery(request.url),
    ...headers.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    request.payloadHash,
  ].join('\n')
  const time = headers.find(([name]) => name === 'x-amz-date')![1]
  const day = time.slice(0, 8)
  const scope = `${day}/${signer.region}/${signer.service}/aws4_request`
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256Hex(canonical)}`
  let key: Buffer | string = `AWS4${signer.secret}`
  for (const part of [day, signer.region, signer.service, 'aws4_request']) key = hmac(key, part)
  return `AWS4-HMAC-SHA256 Credential=${signer.keyId}/${scope}, SignedHeaders=${names}, Signature=${hmac(key, text).toString('hex')}`
}

/** Percent-encoding as the signature requires it: everything but letters, digits and `-._~`. */
export function awsEncode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

function canonicalQuery(url: URL): string {
  return [...url.searchParams]
    .map(([name, value]) => [awsEncode(name), awsEncode(value)] as const)
    .sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
