import { first, formDecode, type Pair, repeated } from '../base/pairs.ts'
import { formOf, hasForm, jsonOf, type LabRequest } from '../base/request.ts'
import type { Client } from './clients.ts'
import { oauthError } from './error.ts'
import type { OAuth2Parts } from './server-parts.ts'
import type { ClientAuthMethod } from './settings.ts'

interface Presented {
  method: ClientAuthMethod
  key: string
  secret: string
}

/** The parameters of a token request: the body, or the query if the service accepts it. */
export function tokenParams(parts: OAuth2Parts, request: LabRequest): Pair[] {
  const viaQuery = first(request.query, parts.settings.clientIdParam) !== undefined
  if (request.method === 'GET' || (viaQuery && request.body.length === 0)) return checked(request.query)
  if (parts.settings.tokenBody === 'json')
    return Object.entries(jsonOf(request)).map(([name, value]) => [name, String(value)])
  if (!hasForm(request)) throw oauthError('invalid_request', 'The body must be application/x-www-form-urlencoded')
  return checked(formOf(request))
}

function checked(params: Pair[]): Pair[] {
  const twice = repeated(params)
  if (twice !== undefined) throw oauthError('invalid_request', `${twice} is given twice`)
  return params
}

/** Authenticates the client and rejects all methods not configured for it. */
export function authenticateClient(parts: OAuth2Parts, request: LabRequest, params: Pair[]): Client {
  const ways = presentations(parts, request, params)
  if (ways.length > 1) throw oauthError('invalid_request', 'Credentials are given in more than one way')
  const way = ways[0]
  const usedBasic = request.headers.authorization !== undefined
  const refused = (why: string) =>
    oauthError('invalid_client', why, {
      status: 401,
      headers: usedBasic ? { 'www-authenticate': 'Basic realm="token"' } : {},
    })
  if (!way) throw refused('No client credentials')
  const client = parts.clients.find(way.key)
  if (!client) throw refused('Unknown client')
  const { clientAuth } = client.settings()
  const method = client.secret === '' ? 'none' : way.method
  if (client.secret === '' && way.secret !== '') throw refused('A public client has no secret')
  // A client with a secret must send it unless the service uses no secrets at all.
  if (method === 'none' && client.secret !== '' && clientAuth.some((one) => one !== 'none'))
    throw refused('The client secret is missing')
  if (!clientAuth.includes(method)) throw refused(`This client may not use ${method}`)
  if (method !== 'none' && way.secret !== client.secret) throw refused('Wrong client secret')
  const named = first(params, parts.settings.clientIdParam)
  if (named !== undefined && named !== client.key)
    throw oauthError('invalid_request', 'The client named in the body is not the one that authenticated')
  return client
}

function presentations(parts: OAuth2Parts, request: LabRequest, params: Pair[]): Presented[] {
  const { clientIdParam } = parts.settings
  const found: Presented[] = []
  const basic = basicPair(request, parts.settings.basicEncoding)
  if (basic) found.push({ method: 'client_secret_basic', ...basic })
  const querySecret = first(request.query, 'client_secret')
  if (querySecret !== undefined)
    found.push({ method: 'query', key: first(request.query, clientIdParam) ?? '', secret: querySecret })
  const bodySecret = params === request.query ? undefined : first(params, 'client_secret')
  if (bodySecret !== undefined)
    found.push({ method: 'client_secret_post', key: first(params, clientIdParam) ?? '', secret: bodySecret })
  const key = first(params, clientIdParam)
  if (found.length === 0 && key !== undefined) found.push({ method: 'none', key, secret: '' })
  return found
}

function basicPair(request: LabRequest, encoding: 'rfc6749' | 'raw'): { key: string; secret: string } | undefined {
  const header = request.headers.authorization
  if (header === undefined) return undefined
  const refused = (why: string) =>
    oauthError('invalid_client', why, { status: 401, headers: { 'www-authenticate': 'Basic realm="token"' } })
  const match = /^Basic ([A-Za-z0-9+/]+={0,2})$/i.exec(header)
  const decoded = match ? Buffer.from(match[1] ?? '', 'base64').toString() : ''
  const cut = decoded.indexOf(':')
  if (cut < 0) throw refused('The Authorization header is not HTTP Basic')
  const halves = [decoded.slice(0, cut), decoded.slice(cut + 1)]
  try {
    const [key = '', secret = ''] = encoding === 'raw' ? halves : halves.map(formDecode)
    return { key, secret }
  } catch {
    throw refused('The Basic pair is not form-encoded')
  }
}
