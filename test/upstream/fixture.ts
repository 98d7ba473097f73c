import assert from 'node:assert/strict'
import type { OAuth1, OAuth2 } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { type Recovery, UpstreamError } from '#upstream/request/errors.ts'
import type { Upstream } from '#upstream/request/send.ts'
import type { ServiceKey } from '#upstream/request/service-key.ts'
import { type BeginSignIn, type BegunSignIn, beginSignIn } from '#upstream/sign-in.ts'
import type { LabService } from '../../lab/base/service.ts'
import type { Registration } from '../../lab/base/service-parts.ts'
import { createBrowser } from '../../lab/browser.ts'

export const CALLBACK = 'http://127.0.0.1:9/auth/callback'

/** The connector with other auth options. */
export function withOptions<Kind extends OAuth1 | OAuth2>(connector: Connector, options: Partial<Kind>): Connector {
  const auth: unknown = { ...connector.auth, ...options }
  return { ...connector, auth: auth as Kind }
}

/** Registers an app at a lab service; the overrides of its key point to that instance. */
export function labKey(service: LabService, registration: Partial<Registration> = {}): ServiceKey {
  const { key, secret } = service.register({ redirectUris: [CALLBACK], ...registration })
  return { key, secret, overrides: { base_url: service.url } }
}

export interface Walk extends Partial<BeginSignIn> {
  connector: Connector
  key: ServiceKey
  person?: string
  decision?: 'allow' | 'deny'
  permissions?: string[]
}

export interface Walked {
  begun: BegunSignIn
  /** The query of the callback. */
  params: URLSearchParams
  /** The input of `finishSignIn`. */
  back: {
    connector: Connector
    key: ServiceKey
    callbackUrl: string
    secrets: BegunSignIn['secrets']
    params: URLSearchParams
  }
}

/** Begins a sign-in and completes the lab's pages, up to the callback. */
export async function walk(upstream: Upstream, options: Walk): Promise<Walked> {
  const { person = 'ada', decision = 'allow', permissions, ...loginOptions } = options
  const begun = await beginSignIn(upstream, { callbackUrl: CALLBACK, state: 'st', ...loginOptions })
  const browser = createBrowser({ stopAt: (url) => url.startsWith(CALLBACK) })
  const page = await browser.walk(begun.url, { person, decision, ...(permissions ? { permissions } : {}) })
  assert.ok(page.stopped, `did not come back: ${page.status} ${page.title} ${page.body.slice(0, 300)}`)
  const params = new URL(page.url).searchParams
  return { begun, params, back: backFrom(options, begun, params) }
}

export function backFrom(
  { connector, key }: Pick<Walk, 'connector' | 'key'>,
  begun: BegunSignIn,
  params: URLSearchParams,
): Walked['back'] {
  // Secrets are stored as JSON.
  const secrets = JSON.parse(JSON.stringify(begun.secrets)) as BegunSignIn['secrets']
  return { connector, key, callbackUrl: CALLBACK, secrets, params }
}

/** Asserts that a promise fails with this recovery and reason, and returns the error. */
export async function refusal(promise: Promise<unknown>, recovery: Recovery, reason: string): Promise<UpstreamError> {
  const error = await promise.then(
    () => assert.fail('it succeeded'),
    (failure: unknown) => failure,
  )
  assert.ok(error instanceof UpstreamError, String(error))
  assert.deepEqual({ recovery: error.recovery, reason: error.reason }, { recovery, reason }, error.message)
  return error
}
