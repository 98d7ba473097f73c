import { registrationOf } from '#access/register-app.ts'
import { answersIn } from '#access/service-access.ts'
import { hostFieldOf } from '#kit/auth/ask.ts'
import { typedFieldsOf } from '#kit/auth/auth.ts'
import { foreseenFault } from '#kit/auth/callback-rule.ts'
import type { Condition, Connector } from '#kit/connector/connector.ts'
import type { Registry } from '#kit/connector/registry.ts'
import { serviceAddresses } from '#kit/connector/service-addresses.ts'
import { ApiError } from '#model/errors.ts'
import type { Clock } from '#platform/clock.ts'
import type { Keyring } from '#platform/crypto/sealing.ts'
import type { Database } from '#platform/postgres/database.ts'
import { findApp } from '#store/apps/apps.ts'
import { findServiceKey, type OpenServiceKey } from '#store/apps/service-keys.ts'
import { auditApp } from '#store/audit.ts'
import { fillConnector } from '#upstream/fill-connector.ts'
import type { KeyFinding } from '#upstream/key-finding.ts'
import type { Upstream } from '#upstream/request/send.ts'
import { tryKeys } from '#upstream/try-keys.ts'

export interface TestKeysDeps {
  database: Database
  keyring: Keyring
  clock: Clock
  registry: Registry
  upstream: Upstream
  config: { baseUrl: string }
}

export interface KeyTest {
  service: string
  /** The address that the app enters at the service. */
  callback: string
  /** What the vendor demands on the first day, with the page that says so. */
  conditions: readonly Condition[]
  result: KeyFinding['result']
  steps: KeyFinding[]
}

/** Tries an app's keys at their service, as far as that is possible without a person. */
export async function testServiceKey(deps: TestKeysDeps, appId: string, name: string, actor: string): Promise<KeyTest> {
  if ((await findApp(deps.database, appId)) === undefined) throw new ApiError('not_found', `There is no app ${appId}.`)
  const connector = deps.registry.find(name)
  if (connector === undefined) throw new ApiError('not_found', `There is no service ${name}.`)
  const { service } = connector
  const key = await findServiceKey(deps.database, deps.keyring, appId, service)
  const { callback } = serviceAddresses(deps.config.baseUrl, connector, appId, key?.overrides)
  const steps = await findingsOf(deps, connector, key, callback)
  const result = resultOf(steps)
  await deps.database.transaction((tx) =>
    auditApp(tx, appId, { at: deps.clock.now(), actor, action: 'keys.test', detail: { service, result } }),
  )
  return { service, callback, conditions: connector.conditions ?? [], result, steps }
}

async function findingsOf(
  { upstream }: TestKeysDeps,
  connector: Connector,
  key: OpenServiceKey | undefined,
  callbackUrl: string,
): Promise<KeyFinding[]> {
  const { service, auth } = connector
  const notRequired = (detail: string): KeyFinding[] => [{ step: 'keys', result: 'ok', reason: 'not_required', detail }]
  if (typedFieldsOf(auth) !== undefined)
    return notRequired('People type what the service requires on a page of Tributary; the app has no keys there.')
  if (key === undefined && registrationOf(connector) !== undefined)
    return notRequired('The app registers itself at the service when the first person signs in.')
  if (key === undefined) throw new ApiError('not_found', `The app has no keys for ${service}.`)
  const answers = answersIn(connector, key)
  const host = hostFieldOf(connector.ask)
  if (host !== undefined && answers[host] === undefined)
    return [
      {
        step: 'addresses',
        result: 'unknown',
        reason: 'unknown',
        detail: 'Every person names a server of their own. Set the override base_url to test the keys of one server.',
      },
    ]
  const instance = Object.keys(answers).length === 0 ? undefined : answers
  const fault = foreseenFault(connector, key.overrides, callbackUrl)
  // Its page would refuse the request, whatever the keys are.
  if (fault !== undefined) return [{ step: 'callback', result: 'failed', reason: 'callback_refused', detail: fault }]
  return tryKeys(upstream, { connector: fillConnector(connector, answers), key, callbackUrl, instance })
}

function resultOf(steps: KeyFinding[]): KeyFinding['result'] {
  if (steps.some(({ result }) => result === 'failed')) return 'failed'
  return steps.some(({ result }) => result === 'unknown') ? 'unknown' : 'ok'
}
