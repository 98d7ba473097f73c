import { z } from 'zod'
import { callbackOfKey, deleteServiceKey, listServiceKeys, setServiceKey } from '#flows/apps/keys.ts'
import { testServiceKey } from '#flows/apps/test-keys.ts'
import { OVERRIDES, presentServiceKey, type SealedServiceKey } from '#model/apps/app.ts'
import { UPSTREAM_REASONS } from '#model/sync/upstream-reasons.ts'
import type { HttpDeps } from '../server/deps.ts'
import { route } from '../server/route.ts'
import { deleted } from '../shapes/deleted.ts'

const serviceKey = z
  .object({
    service: z.string(),
    key: z.string(),
    scope: z.string().optional(),
    overrides: z.record(z.string(), z.string()),
    callback: z
      .string()
      .describe('The redirect address to enter at the service. A key with overrides has one of its own.'),
    updated_at: z.number(),
  })
  .meta({ id: 'ServiceKey', description: "An app's key for a service, without its secret." })
const path = z.object({ client_id: z.string(), service: z.string() })

const withCallback = (deps: HttpDeps, appId: string, key: SealedServiceKey) => ({
  ...presentServiceKey(key),
  callback: callbackOfKey(deps, appId, key),
})

export const list = route({
  auth: 'admin',
  summary: "List an app's keys for services, without their secrets",
  path: path.pick({ client_id: true }),
  response: z.array(serviceKey),
  reasons: ['not_found'],
  run: async (deps, { path: { client_id: appId } }) =>
    (await listServiceKeys(deps, appId)).map((key) => withCallback(deps, appId, key)),
})

export const set = route({
  auth: 'admin',
  dangerous: true,
  operatorOnly: { overrides: 'the codes of people and the secrets of the key are sent to these addresses.' },
  summary: "Set an app's key for a service",
  path,
  body: z.object({
    key: z.string().min(1).max(2000).describe('The key that the service issued to the app (client id, consumer key).'),
    secret: z.string().max(10_000).describe('The secret of the key. Sealed at rest.'),
    hook_secret: z
      .string()
      .min(1)
      .max(10_000)
      .optional()
      .describe('The secret of the service’s webhooks, if it is a different one. Sealed at rest.'),
    hook_id: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('The id of the webhook that you registered at the service, where its subscriptions need one (X).'),
    scope: z.string().max(2000).optional().describe("Scope to request instead of the service's default."),
    overrides: z
      .record(z.string(), z.string())
      .optional()
      .describe(`Addresses of the service to override: ${OVERRIDES.join(', ')}.`),
    settings: z
      .record(z.string(), z.string())
      .optional()
      .describe(
        'Values that the vendor gave to the app besides key and secret; `GET /services` names them. Sealed at rest.',
      ),
  }),
  response: serviceKey,
  reasons: ['not_found'],
  run: async (deps, { path: { client_id: appId, service }, body, actor, operator }) => {
    const { hook_secret: hookSecret, hook_id: hookId, ...given } = body
    const overrides = operator.role === 'operator' ? (body.overrides ?? {}) : undefined
    const key = { ...given, service, overrides, hookSecret, hookId }
    return withCallback(deps, appId, await setServiceKey(deps, appId, key, actor))
  },
})

export const remove = route({
  auth: 'admin',
  dangerous: true,
  summary: "Delete an app's key for a service",
  path,
  response: deleted,
  reasons: ['not_found'],
  run: async (deps, call) => {
    await deleteServiceKey(deps, call.path.client_id, call.path.service, call.actor)
    return { deleted: call.path.service }
  },
})

const RESULTS = ['ok', 'failed', 'unknown'] as const
const REASONS_OF_STEPS = ['ok', 'unknown', 'not_required', 'callback_refused', ...Object.keys(UPSTREAM_REASONS)]

export const test = route({
  auth: 'admin',
  summary: "Test an app's keys at their service, as far as that is possible without a person",
  path,
  response: z
    .object({
      service: z.string(),
      callback: z.string().describe('The address to enter at the service.'),
      conditions: z
        .array(z.object({ says: z.string(), source: z.string(), checked: z.string().optional() }))
        .describe('What the vendor demands on the first day, with the page that says so, and when it was read.'),
      result: z.enum(RESULTS).describe('`unknown`: the service does not tell without a person who signs in.'),
      steps: z.array(
        z.object({
          step: z.enum(['callback', 'addresses', 'sign_in_page', 'keys']),
          result: z.enum(RESULTS),
          reason: z.enum(REASONS_OF_STEPS),
          detail: z.string(),
        }),
      ),
    })
    .meta({ id: 'KeyTest', description: "What a test of an app's keys found, step by step." }),
  reasons: ['not_found'],
  run: async (deps, { actor, path: { client_id: appId, service } }) => testServiceKey(deps, appId, service, actor),
})
