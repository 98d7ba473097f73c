import { createHmac, randomBytes, sign } from 'node:crypto'

export interface Oauth1Keys {
  consumerKey: string
  consumerSecret: string
  token?: string
  tokenSecret?: string
}

export interface Oauth1Request {
  method: 'GET' | 'POST'
  url: string
  form?: [string, string][]
  oauth?: Record<string, string>
  rsaPrivateKey?: string
}

export interface SignedRequest {
  url: string
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
}

const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
const pairs = (entries: [string, string][]) => entries.map(([name, value]) => `${encode(name)}=${encode(value)}`)

/** Signs after RFC 5849 section 3.4, as simply as possible: the self-test of the provider needs one correct request. */
export function signOauth1(
  keys: Oauth1Keys,
  { method, url, form, oauth = {}, rsaPrivateKey }: Oauth1Request,
): SignedRequest {
  const fields: Record<string, string> = {
    oauth_consumer_key: keys.consumerKey,
    oauth_nonce: randomBytes(12).toString('hex'),
    oauth_signature_method: rsaPrivateKey === undefined ? 'HMAC-SHA1' : 'RSA-SHA1',
    oauth_timestamp: String(Math.floor(Date.now() / 1000)),
    oauth_version: '1.0',
    ...(keys.token === undefined ? {} : { oauth_token: keys.token }),
    ...oauth,
  }
  const target = new URL(url)
  const all = pairs([...Object.entries(fields), ...target.searchParams.entries(), ...(form ?? [])]).sort()
  const base = [method, `${target.origin}${target.pathname}`, all.join('&')].map(encode).join('&')
  const key = `${encode(keys.consumerSecret)}&${encode(keys.tokenSecret ?? '')}`
  const hash = fields.oauth_signature_method === 'HMAC-SHA256' ? 'sha256' : 'sha1'
  const signature =
    rsaPrivateKey === undefined
      ? createHmac(hash, key).update(base).digest('base64')
      : sign('sha1', Buffer.from(base), rsaPrivateKey).toString('base64')
  const parts = Object.entries({ ...fields, oauth_signature: signature }).map(([k, v]) => `${encode(k)}="${encode(v)}"`)
  const headers: Record<string, string> = { authorization: `OAuth ${parts.join(', ')}`, connection: 'close' }
  if (form === undefined) return { url, method, headers }
  return {
    url,
    method,
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: pairs(form).join('&'),
  }
}

export async function send({
  url,
  ...init
}: SignedRequest): Promise<{ status: number; text: string; failed: string[] }> {
  const response = await fetch(url, init)
  const text = await response.text()
  const failed = text.startsWith('{') ? ((JSON.parse(text) as { failed?: string[] }).failed ?? []) : []
  return { status: response.status, text, failed }
}
