import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { loadConfig } from '#config/config.ts'
import type { LoggedDeps } from '#identity/deps.ts'
import { createOperationLog } from '#store/log/operation-log.ts'
import { createBrowser } from '../../../lab/browser.ts'
import { loadRegistry } from '../../../src/boot/registry.ts'
import { basic } from '../../harness/app.ts'
import { auditTrail } from '../../harness/audit.ts'
import { type DemoService, type LabApp, type LabHarness, startLabHarness } from '../../harness/lab.ts'
import type { Reply } from '../../harness/send.ts'
import { newCode, redeem } from '../../harness/sign-in.ts'
import { openUpstream } from '../../harness/upstream.ts'

/** A folder of operator connectors: servers of test/real, and the demo services without endpoints. */
export const CONNECTORS = join(import.meta.dirname, 'connectors')

/** The service and the lab, without workers: demo services receive only what these tests cause. */
export function startQuietHarness(env: Record<string, string> = {}): Promise<LabHarness> {
  return startLabHarness({ TRIBUTARY_CONNECTORS: CONNECTORS, ...env })
}

export interface ServiceTokens {
  token: string
  token_secret?: string
  refresh_token?: string
  expires_at?: number
  scope?: string
}

/** The only entry of a service in a `/profiles` object that was requested with `full` or `auth`. */
export function entryOf(profiles: unknown, service: string): Record<string, unknown> & { auth: ServiceTokens } {
  const entries = (profiles as Record<string, unknown>)[service] as (Record<string, unknown> & {
    auth: ServiceTokens
  })[]
  assert.equal(entries.length, 1, `${service} has one profile`)
  return entries[0]!
}

/** Tokens of a service that an app got by itself: by a sign-in whose account is not used. */
export async function tokensFor(
  harness: LabHarness,
  service: DemoService,
  person: string,
  by: LabApp = harness.app,
): Promise<ServiceTokens> {
  const response = await redeem(
    harness,
    await newCode(harness, service, person, {}, by),
    { profile: 'last', auth: 'true' },
    by,
  )
  return entryOf(((await response.json()) as { profile: unknown }).profile, service).auth
}

/** An access token of an OAuth 2 service that the app got without us: no account has it. */
export async function serviceToken(
  harness: LabHarness,
  service: 'demo-social' | 'demo-health',
  person: string,
  by: LabApp = harness.app,
): Promise<string> {
  const { endpoints, settings } = harness.lab.services[service]
  const { key, secret, callback: redirect } = by.keys[service]!
  const { verifier, query } = pkce()
  const scope = (settings() as { defaultScopes: string[] }).defaultScopes.join(' ')
  const params = { response_type: 'code', client_id: key, redirect_uri: redirect, scope, ...query }
  const browser = createBrowser({ stopAt: (url) => url.startsWith(redirect) })
  const page = await browser.walk(`${endpoints['authorize_url']}?${new URLSearchParams(params).toString()}`, { person })
  const code = new URL(page.url).searchParams.get('code') ?? ''
  const fields = { grant_type: 'authorization_code', code, redirect_uri: redirect, code_verifier: verifier }
  const isBasic = (settings() as { clientAuth: string[] }).clientAuth.includes('client_secret_basic')
  const response = await fetch(endpoints['token_url']!, {
    method: 'POST',
    headers: isBasic ? basic({ clientId: key, secret }) : {},
    body: new URLSearchParams(isBasic ? fields : { ...fields, client_id: key, client_secret: secret }),
  })
  return ((await response.json()) as { access_token: string }).access_token
}

/** Native ids of people at a service, by name. */
export function nativeId(harness: LabHarness, service: DemoService, person: string): string {
  return harness.lab.services[service].people.find(({ username }) => username === person)!.id
}

/** Asserts status and reason of a refusal, and the shape that every refusal has. */
export function assertRefused(response: Pick<Reply, 'status' | 'body'>, status: number, reason: string): void {
  assert.deepEqual({ status: response.status, reason: response.body['reason'] }, { status, reason })
  assert.equal(typeof response.body['error'], 'string')
  assert.equal(typeof response.body['request_id'], 'string')
}

/** The body of a refusal without its request id. */
export function withoutRequestId({ text }: Pick<Reply, 'text'>): string {
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

/** Deps to call the flows directly, on the store of the running service, with a clock that is ahead. */
export async function openFlows(
  harness: Pick<LabHarness, 'tributary'>,
  aheadMs = 0,
): Promise<{ deps: LoggedDeps; close: () => Promise<void> }> {
  const { store, url, dataDir } = harness.tributary
  const clock = { now: () => Date.now() + aheadMs }
  const registry = await loadRegistry(loadConfig({ TRIBUTARY_DATA: dataDir, TRIBUTARY_CONNECTORS: CONNECTORS }))
  const { upstream, close } = openUpstream(clock)
  const operations = createOperationLog({ ...store, clock })
  return { deps: { ...store, clock, registry, upstream, operations, config: { baseUrl: url } }, close }
}

/** Runs the maintenance as if this much time had passed. */
export async function expireAfter(
  harness: Pick<LabHarness, 'tributary'>,
  aheadMs: number,
): Promise<{ pending: number; consents: number }> {
  const { expireSignIns } = await import('../../harness/maintenance.ts')
  const { deps, close } = await openFlows(harness, aheadMs)
  try {
    return await expireSignIns(deps)
  } finally {
    await close()
  }
}

export const auditOf = (harness: LabHarness, action: string) => auditTrail(harness.sql, action)
