import { createHash, randomBytes } from 'node:crypto'
import type { LabService } from '../base/service.ts'
import { type Browser, createBrowser } from '../browser.ts'

export const callback = 'http://127.0.0.1:9/callback'

type Fields = Record<string, string | undefined>

interface Flow {
  service: LabService
  key: string
  secret: string
}

export const appBrowser = (): Browser => createBrowser({ stopAt: (url) => url.startsWith(callback) })

export const newVerifier = (): string => randomBytes(32).toString('base64url')
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

export function authorizeUrl(flow: Flow, fields: Fields = {}): string {
  const url = new URL(flow.service.endpoints['authorize_url'] ?? '')
  const all: Fields = { response_type: 'code', client_id: flow.key, redirect_uri: callback, state: 's1', ...fields }
  for (const [name, value] of Object.entries(all)) if (value !== undefined) url.searchParams.set(name, value)
  return url.href
}

export async function tokenCall(flow: Flow, fields: Fields, init: RequestInit = {}): Promise<Response> {
  const all: Fields = { client_id: flow.key, client_secret: flow.secret, ...fields }
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(all)) if (value !== undefined) body.set(name, value)
  return fetch(flow.service.endpoints['token_url'] ?? '', { method: 'POST', body, ...init })
}

export const basic = (key: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(key)}:${encodeURIComponent(secret)}`).toString('base64')}`

/** Runs login and consent for a person and returns the code. */
export async function codeFor(flow: Flow, fields: Fields = {}, person = 'ada'): Promise<string> {
  const page = await appBrowser().walk(authorizeUrl(flow, fields), { person })
  const code = new URL(page.url).searchParams.get('code')
  if (code === null) throw new Error(`no code: ${page.status} ${page.url} ${page.title}`)
  return code
}

export interface TokenResponse {
  access_token: string
  refresh_token?: string
  expires_in?: number
  expires_at?: number
  scope?: string
  error?: string
}

/** The complete flow with PKCE. */
export async function tokensFor(flow: Flow, fields: Fields = {}, person = 'ada'): Promise<TokenResponse> {
  const verifier = newVerifier()
  const challenge = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' }
  const code = await codeFor(flow, { ...challenge, ...fields }, person)
  return readTokens(
    await tokenCall(flow, { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier }),
  )
}

export const readTokens = async (response: Response): Promise<TokenResponse> => (await response.json()) as TokenResponse

export const apiCall = (service: LabService, path: string, token: string): Promise<Response> =>
  fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
