import { createHash, createHmac } from 'node:crypto'
import { percentEncode, reencodeFormComponent } from '../formats/percent-encode.ts'

export interface SigV4Key {
  id: string
  secret: string
  session?: string | undefined
  region: string
  service: string
}

interface SignedRequest {
  method: string
  url: string
  /** Undefined: none, or one that is streamed. */
  body?: string | Uint8Array | undefined
  /** What the signature covers beside what it adds, by names in lower case. */
  headers?: Readonly<Record<string, string>>
}

/** The headers of one request by AWS Signature Version 4. It covers the host, the time, what is given and, at S3, the content. */
export function sigV4Headers(
  key: SigV4Key,
  { method, url, body, headers = {} }: SignedRequest,
  nowMs: number,
): Record<string, string> {
  const at = new URL(url)
  const isS3 = key.service === 's3'
  const hasUnknownBody = isS3 && body === undefined && !['GET', 'HEAD', 'DELETE'].includes(method)
  const content = hasUnknownBody ? 'UNSIGNED-PAYLOAD' : sha256(body ?? '')
  const time = new Date(nowMs).toISOString().replaceAll(/[:-]|\.\d+/g, '')
  const added: Record<string, string> = {
    ...(isS3 ? { 'x-amz-content-sha256': content } : {}),
    'x-amz-date': time,
    ...(key.session === undefined ? {} : { 'x-amz-security-token': key.session }),
  }
  const covered = Object.entries({ ...headers, host: at.host, ...added }).toSorted(([a], [b]) => compare(a, b))
  const names = covered.map(([name]) => name).join(';')
  const lines = covered.map(([name, value]) => `${name}:${value.trim().replaceAll(/\s+/g, ' ')}\n`)
  const request = [method, pathOf(at, isS3), queryOf(at), lines.join(''), names, content].join('\n')
  const day = time.slice(0, 8)
  const scope = `${day}/${key.region}/${key.service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(request)].join('\n')
  const signingKey = [day, key.region, key.service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${key.secret}`)
  const signature = hmac(signingKey, text).toString('hex')
  return {
    ...added,
    authorization: `AWS4-HMAC-SHA256 Credential=${key.id}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  }
}

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Each part is encoded once more than it is sent, except at S3. */
function pathOf({ pathname }: URL, isS3: boolean): string {
  const parts = pathname.split('/').map((part) => reencodeFormComponent(part.replaceAll('+', '%2B')))
  return (isS3 ? parts : parts.map(percentEncode)).join('/')
}

/** Sorted by name, then by value, as they are encoded. */
function queryOf({ search }: URL): string {
  const pairs = search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '')
  const encoded = pairs.map((pair) => {
    const [name = '', ...value] = pair.split('=')
    return [reencodeFormComponent(name), reencodeFormComponent(value.join('='))] as const
  })
  const sorted = encoded.toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y))
  return sorted.map(([name, value]) => `${name}=${value}`).join('&')
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
