import { createHash, createHmac, verify } from 'node:crypto'
import type { CallIn } from './call.ts'
import { fillEntryText, type LabEntry, type TypedEntry } from './entry.ts'
import { labPublicKey } from './keys.ts'

type Jwt = NonNullable<TypedEntry['jwt']>
type Sign = NonNullable<TypedEntry['sign']>

/** Whether a token is one that the declared key signed (RFC 7515, 7519), with the declared claims, and valid now. */
export function isSignedToken(
  entry: LabEntry,
  { algorithm, header = {}, claims, lifetime }: Jwt,
  token: string,
): boolean {
  const [head = '', body = '', signature = ''] = token.split('.')
  const bytes = Buffer.from(signature, 'base64url')
  const key = labPublicKey(algorithm)
  const isValid = verify('sha256', Buffer.from(`${head}.${body}`), { key, dsaEncoding: 'ieee-p1363' }, bytes)
  if (!isValid) return false
  const stated = parsed(head)
  const said = parsed(body)
  const nowS = Date.now() / 1000
  const [issued, expires] = [Number(said['iat']), Number(said['exp'])]
  const isNow = issued <= nowS && expires > nowS && expires - nowS <= lifetime
  const has = (texts: Record<string, string>, given: Record<string, unknown>) =>
    Object.entries(texts).every(([name, text]) => given[name] === fillEntryText(entry, text))
  return isNow && stated['alg'] === algorithm && has(header, stated) && has(claims, said)
}

const parsed = (part: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>

/** Whether a call has the signature that the entry declares, not older than a minute. */
export function hasSignature(entry: LabEntry, { hmac, sigv4 }: Sign, call: CallIn): boolean {
  if (hmac !== undefined) return hasHmac(entry, hmac, call)
  return sigv4 === undefined || hasSigV4(entry, sigv4, call)
}

function hasHmac(
  entry: LabEntry,
  { algorithm, key, over, encoding, headers }: NonNullable<Sign['hmac']>,
  call: CallIn,
) {
  const [path = '', query = ''] = call.sent.split('?')
  const at = Object.entries(headers).find(([, text]) => /^\{time_(?:s|ms|iso)\}$/.test(text))
  const given = (at && call.headers[at[0].toLowerCase()]) ?? ''
  const ms = at?.[1] === '{time_s}' ? Number(given) * 1000 : at?.[1] === '{time_ms}' ? Number(given) : Date.parse(given)
  if (at !== undefined && !(Math.abs(Date.now() - ms) < 60_000)) return false
  const times = { time_s: given, time_ms: given, time_iso: given }
  const parts: Record<string, string> = {
    ...times,
    method: call.method,
    host: call.headers['host'] ?? '',
    path,
    query,
    body: call.text,
  }
  const fill = (text: string) =>
    fillEntryText(
      entry,
      text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => parts[name] ?? whole),
    )
  parts['signature'] = createHmac(algorithm, fill(key)).update(fill(over)).digest(encoding)
  return Object.entries(headers).every(([name, text]) => call.headers[name.toLowerCase()] === fill(text))
}

/** The verification that AWS documents, over what the call says that it signed. */
function hasSigV4(entry: LabEntry, { id, secret, region, service }: NonNullable<Sign['sigv4']>, call: CallIn): boolean {
  const [, credential = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      call.headers['authorization'] ?? '',
    ) ?? []
  const [given, day = '', ...scope] = credential.split('/')
  const fill = (text: string) => fillEntryText(entry, text)
  const date = call.headers['x-amz-date'] ?? ''
  if (given !== fill(id) || scope.join('/') !== `${fill(region)}/${service}/aws4_request`) return false
  if (!names.split(';').includes('host') || !names.split(';').includes('x-amz-date')) return false
  const [path = '', query = ''] = call.sent.split('?')
  const hash = (text: string) => createHash('sha256').update(text).digest('hex')
  const content = call.headers['x-amz-content-sha256'] ?? hash(call.text)
  const sorted = query
    .split('&')
    .filter(Boolean)
    .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
    .sort()
    .join('&')
  const lines = names
    .split(';')
    .map((name) => `${name}:${call.headers[name] ?? ''}\n`)
    .join('')
  const request = [call.method, path, sorted, lines, names, content].join('\n')
  const text = ['AWS4-HMAC-SHA256', date, [day, ...scope].join('/'), hash(request)].join('\n')
  let key: string | Buffer = `AWS4${fill(secret)}`
  for (const part of [day, ...scope]) key = createHmac('sha256', key).update(part).digest()
  return date.startsWith(day) && createHmac('sha256', key).update(text).digest('hex') === signature
}
