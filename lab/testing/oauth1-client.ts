import { createHmac, createSign, randomBytes } from 'node:crypto'
import type { LabService } from '../base/service.ts'
import { callback } from './oauth2-client.ts'

type Pairs = [string, string][]

export interface Signing {
  key: string
  secret: string
  token?: string
  tokenSecret?: string
  method?: 'HMAC-SHA1' | 'HMAC-SHA256' | 'RSA-SHA1' | 'PLAINTEXT'
  privateKey?: string
  by?: 'header' | 'body' | 'query'
  timestamp?: number
  nonce?: string
  oauth?: Record<string, string | undefined>
}

const enc = (text: string) =>
  [...Buffer.from(text)]
    .map((byte) => {
      const mark = String.fromCharCode(byte)
      return /[\w.~-]/.test(mark) ? mark : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')

/** Does not use the server's base string code: a shared bug would go unnoticed. */
export function signedRequest(url: string, signing: Signing, options: { verb?: string; form?: Pairs } = {}): Request {
  const verb = options.verb ?? 'POST'
  const target = new URL(url)
  const given: Record<string, string | undefined> = {
    oauth_consumer_key: signing.key,
    oauth_token: signing.token,
    oauth_signature_method: signing.method ?? 'HMAC-SHA1',
    oauth_timestamp: String(signing.timestamp ?? Math.floor(Date.now() / 1000)),
    oauth_nonce: signing.nonce ?? randomBytes(8).toString('hex'),
    oauth_version: '1.0',
    ...signing.oauth,
  }
  const oauth = Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const all: Pairs = [
    ...oauth.filter(([name]) => name !== 'oauth_signature'),
    ...target.searchParams,
    ...(options.form ?? []),
  ]
  const lines = all.map(([name, value]) => `${enc(name)}\u0001${enc(value)}`).sort()
  const parameters = lines.map((line) => line.replace('\u0001', '=')).join('&')
  const base = [verb, `${target.origin}${target.pathname}`, parameters].map(enc).join('&')
  const signature: [string, string] = ['oauth_signature', given['oauth_signature'] ?? sign(signing, base)]
  const protocol = [...oauth.filter(([name]) => name !== 'oauth_signature'), signature]
  const headers = new Headers()
  const form = [...(options.form ?? [])]
  if (signing.by === 'query') for (const [name, value] of protocol) target.searchParams.append(name, value)
  else if (signing.by === 'body') form.push(...protocol)
  else
    headers.set(
      'authorization',
      `OAuth realm="any thing", ${protocol.map(([n, v]) => `${enc(n)}="${enc(v)}"`).join(', ')}`,
    )
  const body = form.map(([name, value]) => `${enc(name)}=${enc(value)}`).join('&')
  if (body !== '') headers.set('content-type', 'application/x-www-form-urlencoded')
  return new Request(target, { method: verb, headers, ...(body === '' ? {} : { body }) })
}

function sign(signing: Signing, base: string): string {
  const key = `${enc(signing.secret)}&${enc(signing.tokenSecret ?? '')}`
  if (signing.method === 'PLAINTEXT') return key
  if (signing.method === 'RSA-SHA1')
    return createSign('RSA-SHA1')
      .update(base)
      .sign(signing.privateKey ?? '', 'base64')
  return createHmac(signing.method === 'HMAC-SHA256' ? 'sha256' : 'sha1', key)
    .update(base)
    .digest('base64')
}

export const sent = async (request: Request) => {
  const response = await fetch(request)
  return { status: response.status, headers: response.headers, body: await response.text() }
}

export async function requestToken(service: LabService, signing: Signing) {
  const url = service.endpoints['request_token_url'] ?? ''
  const response = await sent(signedRequest(url, { ...signing, oauth: { oauth_callback: callback, ...signing.oauth } }))
  const fields = new URLSearchParams(response.body)
  return {
    ...response,
    token: fields.get('oauth_token') ?? '',
    tokenSecret: fields.get('oauth_token_secret') ?? '',
    fields,
  }
}
