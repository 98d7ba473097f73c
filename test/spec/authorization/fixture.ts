import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { loadConfig } from '#base/config.ts'
import type { AuthorizeNeed } from '#flows/authorize/need.ts'
import { createBrowser } from '../../../lab/browser.ts'
import { loadRegistry } from '../../../src/services.ts'
import { basic } from '../../harness/app.ts'
import { auditTrail } from '../../harness/audit.ts'
import { type DemoService, type LabApp, type LabHouse, startLabHouse } from '../../harness/lab.ts'
import type { Answer } from '../../harness/send.ts'
import { newCode, redeem } from '../../harness/sign-in.ts'
import { openUpstream } from '../../harness/upstream.ts'

/** An operator's folder of connectors: servers of test/real, and the demo services without anything to sync. */
export const CONNECTORS = join(import.meta.dirname, 'connectors')

/** The service with the lab beside it, which hears nothing but what these tests are about. */
export function startQuietHouse(env: Record<string, string> = {}): Promise<LabHouse> {
  return startLabHouse({ TRIBUTARY_CONNECTORS: CONNECTORS, ...env })
}

export interface ServiceTokens {
  token: string
  token_secret?: string
  refresh_token?: string
  expires_at?: number
  scope?: string
}

/** The one entry of a `/profiles` object that was asked for with `full` or `auth`. */
export function entryOf(profiles: unknown, service: string): Record<string, unknown> & { auth: ServiceTokens } {
  const entries = (profiles as Record<string, unknown>)[service] as (Record<string, unknown> & {
    auth: ServiceTokens
  })[]
  assert.equal(entries.length, 1, `${service} has one profile`)
  return entries[0]!
}

/** Tokens of a service that an app got by itself: through a sign-in whose account is thrown away unused. */
export async function tokensFor(
  house: LabHouse,
  service: DemoService,
  person: string,
  by: LabApp = house.app,
): Promise<ServiceTokens> {
  const answer = await redeem(
    house,
    await newCode(house, service, person, {}, by),
    { profile: 'last', auth: 'true' },
    by,
  )
  return entryOf(((await answer.json()) as { profile: unknown }).profile, service).auth
}

/** An access token of an OAuth 2 service that the app got without us: no account knows of it. */
export async function serviceToken(
  house: LabHouse,
  service: 'demo-social' | 'demo-health',
  person: string,
  by: LabApp = house.app,
): Promise<string> {
  const { endpoints, settings } = house.lab.services[service]
  const redirect = `${house.tributary.url}/auth/${service}/callback`
  const { key, secret } = by.keys[service]!
  const { verifier, query } = pkce()
  const scope = (settings() as { defaultScopes: string[] }).defaultScopes.join(' ')
  const asked = { response_type: 'code', client_id: key, redirect_uri: redirect, scope, ...query }
  const browser = createBrowser({ stopAt: (url) => url.startsWith(redirect) })
  const page = await browser.walk(`${endpoints['authorize_url']}?${new URLSearchParams(asked).toString()}`, { person })
  const code = new URL(page.url).searchParams.get('code') ?? ''
  const fields = { grant_type: 'authorization_code', code, redirect_uri: redirect, code_verifier: verifier }
  const isBasic = (settings() as { clientAuth: string[] }).clientAuth.includes('client_secret_basic')
  const answer = await fetch(endpoints['token_url']!, {
    method: 'POST',
    headers: isBasic ? basic({ clientId: key, secret }) : {},
    body: new URLSearchParams(isBasic ? fields : { ...fields, client_id: key, client_secret: secret }),
  })
  return ((await answer.json()) as { access_token: string }).access_token
}

/** Ids of people at a service, by name. */
export function nativeId(house: LabHouse, service: DemoService, person: string): string {
  return house.lab.services[service].people.find(({ username }) => username === person)!.id
}

/** A refusal: its status and reason, and the shape that every refusal has. */
export function assertRefused(answer: Pick<Answer, 'status' | 'body'>, status: number, reason: string): void {
  assert.deepEqual({ status: answer.status, reason: answer.body['reason'] }, { status, reason })
  assert.equal(typeof answer.body['error'], 'string')
  assert.equal(typeof answer.body['request_id'], 'string')
}

/** What a refusal says beside its request id, byte for byte. */
export function withoutRequestId({ text }: Pick<Answer, 'text'>): string {
  return text.replace(/"request_id":"[^"]*"/, '"request_id":""')
}

export interface Pkce {
  verifier: string
  query: { code_challenge: string; code_challenge_method: string }
}

export function pkce(verifier = randomBytes(32).toString('base64url')): Pkce {
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return { verifier, query: { code_challenge: challenge, code_challenge_method: 'S256' } }
}

/** The flows by hand, beside the running service and on its store, with a clock that is ahead. */
export async function openFlows(
  house: LabHouse,
  aheadMs = 0,
): Promise<{ need: AuthorizeNeed; close: () => Promise<void> }> {
  const { store, url, dataDir } = house.tributary
  const clock = { now: () => Date.now() + aheadMs }
  const registry = await loadRegistry(loadConfig({ TRIBUTARY_DATA: dataDir, TRIBUTARY_CONNECTORS: CONNECTORS }))
  const { upstream, close } = openUpstream(clock)
  return { need: { ...store, clock, registry, upstream, config: { baseUrl: url } }, close }
}

/** Runs the upkeep as if this much time had passed. */
export async function lapseAfter(house: LabHouse, aheadMs: number): Promise<{ pending: number; consents: number }> {
  const { lapseSignIns } = await import('#flows/authorize/lapse.ts')
  const { need, close } = await openFlows(house, aheadMs)
  try {
    return await lapseSignIns(need)
  } finally {
    await close()
  }
}

export const auditOf = (house: LabHouse, action: string) => auditTrail(house.sql, action)
