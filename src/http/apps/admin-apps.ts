import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { beginDeletion, continueDeletion, deletionProgress, listDeletions } from '#flows/accounts/delete-app.ts'
import { createApp, endAppSecret, getApp, listApps, OVERLAP_MS, rotateAppSecret, updateApp } from '#flows/apps/apps.ts'
import { type AgentSettings, agentSettings } from '#model/apps/agents.ts'
import { APPLY_POLICIES, presentApp } from '#model/apps/app.ts'
import { mayUseApp, requireRecentSignIn } from '#model/apps/operator.ts'
import { flag } from '#model/input/input.ts'
import { route } from '../server/route.ts'
import { deleted } from '../shapes/deleted.ts'
import { branding, brandingIn, shownBranding } from './branding.ts'

const app = z
  .object({
    client_id: z.string(),
    name: z.string(),
    redirect_uris: z.array(z.string()),
    token_flow: z.boolean(),
    public: z.boolean(),
    apply: z.enum(APPLY_POLICIES),
    agents: agentSettings.optional().describe('What agents may do over MCP; absent: agents are off.'),
    branding: shownBranding,
    services: z
      .array(z.string())
      .optional()
      .describe('The services that people may connect; absent: all that the app has keys for.'),
    created_at: z.number(),
    deleting_at: z.number().optional(),
  })
  .meta({ id: 'App', description: 'An app that uses this installation.' })
const path = z.object({ client_id: z.string() })
const deletion = z
  .object({
    client_id: z.string(),
    name: z.string(),
    state: z.enum(['erasing', 'waiting_for_destinations', 'deleted']),
    started_at: z.number(),
    finished_at: z.number().optional(),
    accounts: z.number(),
    erased: z.number(),
    service_tokens: z
      .object({ revoked: z.number(), refused: z.number(), unreachable: z.number(), not_offered: z.number() })
      .describe('What was done with the tokens at their services.'),
    destinations_waiting: z.number().optional().describe('Erasures that destinations have not confirmed yet.'),
    destinations_untold: z.number().optional().describe('Destinations that ended without having confirmed.'),
    error: z.string().optional(),
  })
  .meta({ id: 'AppDeletion', description: 'The progress of the deletion of an app with its accounts.' })

const fields = z.object({
  name: z.string().describe('The name that people see when they are asked for consent.'),
  redirect_uris: z.array(z.string()).describe('Addresses that people are redirected to; compared exactly.'),
  token_flow: z.boolean().optional().describe('Allow `response_type=token`. Default true.'),
  public: z
    .boolean()
    .optional()
    .describe('A public client: it exchanges codes by PKCE, without its secret. Default false.'),
  apply: z
    .enum(APPLY_POLICIES)
    .optional()
    .describe(
      'Tokens that apply accepts: only those that the service confirms it issued to this app, or any. Default `proven`.',
    ),
  branding: branding.optional(),
})

export const list = route({
  auth: 'admin',
  developers: 'all',
  summary: 'List all apps; a developer gets theirs',
  response: z.array(app),
  run: async (deps, { operator }) => (await listApps(deps)).filter(({ id }) => mayUseApp(operator, id)).map(presentApp),
})

export const create = route({
  auth: 'admin',
  idempotencyKey: true,
  summary: 'Create an app; the secret is shown only once',
  body: fields,
  status: 201,
  response: app
    .extend({ client_secret: z.string() })
    .meta({ id: 'CreatedApp', description: 'A new app, with its secret.' }),
  run: async (deps, { body, actor }) => {
    const made = await createApp(
      deps,
      {
        name: body.name,
        redirectUris: body.redirect_uris,
        tokenFlow: body.token_flow,
        isPublic: body.public,
        apply: body.apply,
        ...(body.branding === undefined ? {} : { branding: brandingIn(body.branding) }),
      },
      actor,
    )
    return { ...presentApp(made.app), client_secret: made.secret }
  },
})

export const show = route({
  auth: 'admin',
  summary: 'Get an app, with the age of its secrets',
  path,
  response: app
    .extend({
      secrets: z.array(z.object({ id: z.string(), created_at: z.number(), expires_at: z.number().optional() })),
      deletion: deletion.optional(),
    })
    .meta({ id: 'AppDetail', description: 'An app, with the age of its secrets.' }),
  reasons: ['not_found'],
  run: async (deps, call) => {
    const found = await getApp(deps, call.path.client_id)
    const deletion = await deletionProgress(deps, call.path.client_id)
    return {
      ...presentApp(found.app),
      ...(deletion === undefined ? {} : { deletion }),
      secrets: found.secrets.map(({ id, createdAt, expiresAt }) => ({
        id,
        created_at: createdAt,
        expires_at: expiresAt,
      })),
    }
  },
})

export const update = route({
  auth: 'admin',
  summary: 'Change the name, redirect addresses, flows, branding or offered services of an app',
  path,
  body: fields.partial().extend({
    services: z
      .array(z.string())
      .nullable()
      .optional()
      .describe(
        'Names of the services that people may connect, also of some that need no keys; `null` for all that the app has keys for. What is connected stays.',
      ),
    agents: agentSettings
      .nullable()
      .optional()
      .describe('Lets agents act over MCP for people who consent. `null` turns it off and ends their access at once.'),
  }),
  response: app,
  reasons: ['not_found'],
  run: async (deps, { path: { client_id: id }, body, actor, operator }) => {
    if (opensAccess(body)) requireRecentSignIn(operator, deps.clock.now())
    return presentApp(
      await updateApp(
        deps,
        id,
        {
          ...(body.name === undefined ? {} : { name: body.name }),
          ...(body.redirect_uris === undefined ? {} : { redirectUris: body.redirect_uris }),
          tokenFlow: body.token_flow,
          isPublic: body.public,
          apply: body.apply,
          ...(body.branding === undefined ? {} : { branding: brandingIn(body.branding) }),
          ...(body.services === undefined ? {} : { services: body.services ?? 'all' }),
          ...(body.agents === undefined ? {} : { agents: agentsIn(body.agents) }),
        },
        actor,
      ),
    )
  },
})

/** Changes by which somebody else could get the tokens of people: as dangerous as a new secret. */
function opensAccess({
  name: _name,
  branding: _branding,
  services: _services,
  ...others
}: Record<string, unknown>): boolean {
  return Object.values(others).some((value) => value !== undefined)
}

function agentsIn(given: z.output<typeof agentSettings> | null): AgentSettings | 'off' {
  return given === null ? 'off' : { redirectUris: given.redirect_uris, writes: given.write_services }
}

/** Limit: looks at a deletion that a worker has begun, before the response says that it is under way. */
const MAX_WAITS = 100
const WAIT_MS = 20

export const remove = route({
  auth: 'admin',
  developers: 'none',
  dangerous: true,
  summary: 'Delete an app and its keys; with `erase=true` also all accounts and their data, in the background',
  path,
  query: z.object({
    erase: flag('Revoke all tokens at the services, erase all accounts, and delete their rows at destinations.'),
    give_up: flag('Do not wait for destinations any longer.'),
  }),
  response: deleted,
  also: { 202: { description: 'The accounts are being erased.', response: deletion } },
  reasons: ['not_found', 'app_has_accounts'],
  run: async (deps, { path: { client_id: id }, query, reply, actor }) => {
    const begun = await beginDeletion(deps, id, actor, { erase: query.erase, giveUp: query.give_up })
    // Without accounts the deletion is fast enough to finish here, also where a worker was faster to begin it.
    let progress = begun
    for (let waits = 0; begun.accounts === 0 && progress.state === 'erasing' && waits < MAX_WAITS; ) {
      if (!(await continueDeletion(deps, id))) waits += 1
      progress = (await deletionProgress(deps, id)) ?? begun
      if (progress.error !== undefined) break
      if (progress.state === 'erasing') await sleep(WAIT_MS)
    }
    if (progress.state === 'deleted') return { deleted: id }
    reply.code(202)
    return progress
  },
})

export const deletions = route({
  auth: 'admin',
  summary: 'List apps that are being deleted with their accounts, and those that were',
  response: z.array(deletion),
  run: (deps) => listDeletions(deps),
})

export const rotateSecret = route({
  auth: 'admin',
  dangerous: true,
  idempotencyKey: true,
  summary: 'Create a new secret; the previous one expires after an overlap',
  path,
  body: z.object({
    overlap_seconds: z
      .number()
      .int()
      .min(0)
      .max(30 * 86_400)
      .default(OVERLAP_MS / 1000)
      .describe('How long the previous secret remains valid.'),
  }),
  response: app
    .extend({ client_secret: z.string(), previous_ends_at: z.number() })
    .meta({ id: 'RotatedApp', description: 'An app, with its new secret.' }),
  reasons: ['not_found'],
  run: async (deps, { path: { client_id: id }, body, actor }) => {
    const rotated = await rotateAppSecret(deps, id, actor, body.overlap_seconds * 1000)
    return { ...presentApp(rotated.app), client_secret: rotated.secret, previous_ends_at: rotated.previousEndsAt }
  },
})

export const endSecret = route({
  auth: 'admin',
  summary: 'End a replaced secret of an app now, before its overlap is over',
  path: path.extend({ id: z.string() }),
  response: deleted,
  reasons: ['not_found', 'bad_request'],
  run: async (deps, { actor, path: { client_id: clientId, id } }) => {
    await endAppSecret(deps, clientId, id, actor)
    return { deleted: id }
  },
})
