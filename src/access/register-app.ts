// Gives an app its key at a service that registers apps by itself, once for all processes.

import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answers, instanceName } from '#kit/auth/ask.ts'
import type { ClientRegistration, OAuth2 } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { callbackAddress, registrationId } from '#kit/connector/service-addresses.ts'
import type { Clock } from '#platform/clock.ts'
import { randomSecret } from '#platform/crypto/ids.ts'
import type { Keyring } from '#platform/crypto/sealing.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import {
  beginWithRegistration,
  countRegistrations,
  evictRegistrations,
  leaseRegistration,
  type Registration,
  type RegistrationKey,
  releaseRegistration,
  storeRegistration,
} from '#store/apps/registrations.ts'
import { locateService } from '#upstream/addresses/addresses.ts'
import { registerClient } from '#upstream/oauth2/register.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { type Upstream, withDeadline } from '#upstream/request/send.ts'
import type { ServiceKey } from '#upstream/request/service-key.ts'
import { clientDocumentUrl, isLoopbackBase, loopbackClientId } from './client-document.ts'

export interface RegisterDeps {
  database: Database
  keyring: Keyring
  clock: Clock
  log: Log
  upstream: Upstream
  config: { baseUrl: string }
}

export interface RegisterInput {
  app: { id: string; name: string }
  /** With the answers filled in. */
  connector: Connector
  /** Where the person signs in: the answers, and the issuer that their handle led to. */
  answers: Answers
}

/** A key of the app at one instance, and the registration that its redirect address names. */
export interface RegisteredKey extends ServiceKey {
  registration: string
}

/** Limit: instances at which one app is registered; beyond it, sign-ins at further ones are refused. */
const MAX_REGISTRATIONS = 5000
/** Limit: time for one registration at a service; then the sign-in fails. */
const MAX_REGISTRATION_MS = 20_000
/** Longer than a registration may take, and short, because others wait for it if the process dies. */
const LEASE_MS = 30_000
const POLL_MS = 100
/** No sign-in takes longer, so a key that nobody has used by then belongs to an abandoned one. */
const UNUSED_MS = 15 * 60_000

export function registrationOf({ auth }: Connector): ClientRegistration | undefined {
  return auth.kind === 'oauth2' ? auth.registration : undefined
}

/**
 * The row of a registration. Its redirect address depends on the base address too, so another one is another registration, and
 * credentials of the one before keep their key. Older releases had one redirect address for all instances, and no `registration`.
 */
export function registrationKeyOf(appId: string, connector: Connector, answers: Answers): RegistrationKey {
  const isDocument = registrationOf(connector)?.kind === 'document'
  const server = isDocument ? '' : instanceName(connector.ask, answers)
  const { registration } = answers
  return { appId, service: connector.service, instance: [server, registration].filter(Boolean).join(' ') }
}

/** Names the app at the instance of the answers. A handle leads to an issuer, and different handles to the same one. */
function newRegistrationId(baseUrl: string, appId: string, { ask, service }: Connector, answers: Answers): string {
  const server = answers['issuer'] ?? instanceName(ask, answers)
  return registrationId(appId, service, JSON.stringify([server, baseUrl]))
}

/** The scope that is registered: every sign-in requests a part of it. */
export function registeredScope(auth: OAuth2): string {
  const flagged = Object.values(auth.flags).flatMap(({ scope }) => scope ?? [])
  return auth.registration?.scope ?? [...new Set([...auth.scope.default, ...flagged])].join(auth.scope.separator)
}

/** The app's key, registered now if it is not yet. One caller in all processes registers; the others wait for the result. */
export async function registeredKey(deps: RegisterDeps, input: RegisterInput): Promise<RegisteredKey> {
  const { app, connector } = input
  const { auth, service } = connector
  const registration = newRegistrationId(deps.config.baseUrl, app.id, connector, input.answers)
  const answers = { ...input.answers, registration }
  const callbackUrl = callbackAddress(deps.config.baseUrl, service, registration)
  if (auth.kind !== 'oauth2' || auth.registration === undefined)
    throw new UpstreamError('stop', 'The service does not register apps', { reason: 'not_supported' })
  if (auth.registration.kind === 'document' && !deps.config.baseUrl.startsWith('https:')) {
    if (isLoopbackBase(deps.config.baseUrl))
      return { key: loopbackClientId(callbackUrl, registeredScope(auth)), secret: '', overrides: {}, registration }
    throw new UpstreamError(
      'stop',
      'The service accepts an app only at an https address, or at http://127.0.0.1 or http://[::1]: change BASE_URL',
      { reason: 'callback_unusable' },
    )
  }
  const key = registrationKeyOf(app.id, connector, answers)
  const giveUpAt = deps.clock.now() + 2 * LEASE_MS
  for (;;) {
    const now = deps.clock.now()
    const known = await beginWithRegistration(deps.database, deps.keyring, key, now)
    if (known !== undefined && (known.expiresAt ?? Number.POSITIVE_INFINITY) > now)
      return { key: known.key, secret: known.secret, overrides: {}, registration }
    const lease = randomSecret()
    const terms = { lease, leaseUntil: now + LEASE_MS, nowMs: now, max: MAX_REGISTRATIONS }
    if (await leaseRegistration(deps.database, key, terms))
      return { ...(await registerNow(deps, { ...input, registration, callbackUrl }, key, lease)), registration }
    if ((await countRegistrations(deps.database, app.id)) >= MAX_REGISTRATIONS) {
      // Hosts are chosen by strangers, so keys that nobody ever signed in with make room first.
      if ((await evictRegistrations(deps.database, app.id, now - UNUSED_MS)) > 0) continue
      throw new UpstreamError('stop', 'The app is registered at too many instances', { reason: 'capacity' })
    }
    if (now > giveUpAt)
      throw new UpstreamError('retry', 'Another process has not finished registering this app', {
        reason: 'refresh_busy',
      })
    await sleep(POLL_MS)
  }
}

interface NewRegistration extends RegisterInput {
  registration: string
  callbackUrl: string
}

async function registerNow(
  deps: RegisterDeps,
  input: NewRegistration,
  key: RegistrationKey,
  lease: string,
): Promise<ServiceKey> {
  try {
    const client = await newClient(deps, input)
    // If the lease was lost, another process has registered; this key stays unused at the service.
    if (await storeRegistration(deps.database, deps.keyring, key, lease, client))
      return { key: client.key, secret: client.secret, overrides: {} }
    throw new UpstreamError('retry', 'The registration took too long', { reason: 'service_timeout' })
  } catch (error) {
    await releaseRegistration(deps.database, key, lease)
    throw error
  }
}

async function newClient(deps: RegisterDeps, input: NewRegistration): Promise<Registration> {
  const { app, connector, registration: id, callbackUrl } = input
  const auth = connector.auth as OAuth2
  const registration = auth.registration!
  const { baseUrl } = deps.config
  if (registration.kind === 'document')
    return {
      key: clientDocumentUrl(baseUrl, app.id, connector.service, id),
      secret: newPrivateJwk(),
      expiresAt: undefined,
    }
  const upstream = withDeadline(deps.upstream, MAX_REGISTRATION_MS)
  const location = await locateService(upstream, { connector, key: { key: '', secret: '', overrides: {} } })
  const scope = registeredScope(auth)
  const client = { app: app.name, callback: callbackUrl, scope, website: baseUrl }
  const { expiresAt, ...given } = await registerClient(upstream, auth, registration, location, client)
  return { ...given, expiresAt }
}

/** A private key for `private_key_jwt`. */
function newPrivateJwk(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: randomSecret().slice(0, 16), alg: 'ES256' })
}
