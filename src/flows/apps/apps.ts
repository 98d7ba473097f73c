import type { Registry } from '#kit/connector/registry.ts'
import type { AgentSettings } from '#model/apps/agents.ts'
import { type App, type ApplyPolicy, type AppSecret, checkRedirectUri } from '#model/apps/app.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import type { Clock } from '#platform/clock.ts'
import { newId, randomSecret } from '#platform/crypto/ids.ts'
import type { Database } from '#platform/postgres/database.ts'
import * as store from '#store/apps/apps.ts'
import { auditApp } from '#store/audit.ts'
import type { Hasher } from '#store/vault.ts'
import { checkAgentSettings } from './agent-settings.ts'
import { type BrandingChange, changeBranding } from './branding.ts'

export interface AppsDeps {
  database: Database
  hasher: Hasher
  clock: Clock
}

export interface NewApp {
  name: string
  redirectUris: string[]
  tokenFlow?: boolean | undefined
  isPublic?: boolean | undefined
  apply?: ApplyPolicy | undefined
  branding?: BrandingChange | undefined
}

/** The secret is returned once; only its hash is stored. */
export interface AppWithSecret {
  app: App
  secret: string
}

/** Default time for which a replaced secret remains valid. */
export const OVERLAP_MS = 24 * 3_600_000

export async function createApp(deps: AppsDeps, input: NewApp, actor: string): Promise<AppWithSecret> {
  const now = deps.clock.now()
  const app: App = {
    id: `app_${newId(now)}`,
    name: checkName(input.name),
    redirectUris: checkRedirectUris(input.redirectUris),
    tokenFlow: input.tokenFlow ?? true,
    isPublic: input.isPublic ?? false,
    apply: input.apply ?? 'proven',
    createdAt: now,
  }
  const secret = newSecret()
  await deps.database.transaction(async (tx) => {
    await store.insertApp(tx, app, storedSecret(deps, secret, now))
    if (input.branding !== undefined) {
      app.branding = await changeBranding(tx, app.id, {}, input.branding)
      await store.updateApp(tx, app)
    }
    await auditApp(tx, app.id, { at: deps.clock.now(), actor, action: 'app.create', detail: { name: app.name } })
  })
  return { app, secret }
}

export async function listApps({ database }: AppsDeps): Promise<App[]> {
  return store.listApps(database)
}

export async function getApp(deps: AppsDeps, id: string): Promise<{ app: App; secrets: AppSecret[] }> {
  const app = await store.findAnyApp(deps.database, id)
  if (app === undefined) throw noApp(id)
  const secrets = await store.listAppSecrets(deps.database, id, deps.clock.now())
  return { app, secrets: secrets.map(({ id, createdAt, expiresAt }) => ({ id, createdAt, expiresAt })) }
}

export interface AppChange extends Partial<NewApp> {
  /** Names of the services that people may connect. */
  services?: readonly string[] | 'all' | undefined
  /** `off` ends the access of all agents at once. */
  agents?: AgentSettings | 'off' | undefined
}

export async function updateApp(
  deps: AppsDeps & { registry: Pick<Registry, 'find'> },
  id: string,
  change: AppChange,
  actor: string,
): Promise<App> {
  return deps.database.transaction(async (tx) => {
    const before = await store.findApp(tx, id)
    if (before === undefined) throw noApp(id)
    const app: App = {
      ...before,
      name: change.name === undefined ? before.name : checkName(change.name),
      redirectUris: change.redirectUris === undefined ? before.redirectUris : checkRedirectUris(change.redirectUris),
      tokenFlow: change.tokenFlow ?? before.tokenFlow,
      isPublic: change.isPublic ?? before.isPublic,
      apply: change.apply ?? before.apply,
      agents: changedAgents(before.agents, change.agents, deps.clock.now()),
      services: changedServices(deps, before.services, change.services),
      branding:
        change.branding === undefined
          ? before.branding
          : await changeBranding(tx, id, before.branding ?? {}, change.branding),
    }
    await store.updateApp(tx, app)
    await auditApp(tx, id, {
      at: deps.clock.now(),
      actor,
      action: 'app.update',
      detail: { fields: Object.keys(change) },
    })
    return app
  })
}

/** Limit: services that an app may list as those that people may connect; more are refused. */
const MAX_OFFERED = 1000

/** Aliases become names, so that a later release may drop an alias. */
function changedServices(
  { registry }: { registry: Pick<Registry, 'find'> },
  before: App['services'],
  change: AppChange['services'],
): App['services'] {
  if (change === 'all') return undefined
  if (change === undefined) return before
  if (change.length > MAX_OFFERED) throw invalidInput('bad_parameter', 'services', `at most ${MAX_OFFERED} names.`)
  const names = change.map((name) => {
    const connector = registry.find(name)
    if (connector === undefined)
      throw invalidInput('bad_parameter', 'services', `“${name.slice(0, 50)}” is not a known service.`)
    return connector.service
  })
  return [...new Set(names)]
}

function changedAgents(
  before: AgentSettings | undefined,
  change: AppChange['agents'],
  nowMs: number,
): AgentSettings | undefined {
  if (change === 'off') return undefined
  if (change === undefined) return before
  return { ...checkAgentSettings(change), since: before === undefined ? nowMs : before.since }
}

/** Adds a secret; the others expire after the overlap, so that clients can switch in the meantime. */
export async function rotateAppSecret(
  deps: AppsDeps,
  id: string,
  actor: string,
  overlapMs = OVERLAP_MS,
): Promise<AppWithSecret & { previousEndsAt: number }> {
  const now = deps.clock.now()
  const secret = newSecret()
  const stored = storedSecret(deps, secret, now)
  const app = await deps.database.transaction(async (tx) => {
    const found = await store.findApp(tx, id)
    if (found === undefined) throw noApp(id)
    await store.insertAppSecret(tx, id, stored)
    await store.retireOtherSecrets(tx, id, stored.id, now + overlapMs, now)
    await auditApp(tx, id, {
      at: deps.clock.now(),
      actor,
      action: 'app.rotate_secret',
      detail: { overlap_ms: overlapMs },
    })
    return found
  })
  return { app, secret, previousEndsAt: now + overlapMs }
}

/** Ends a replaced secret now, before its overlap is over. The current one can only be rotated. */
export async function endAppSecret(deps: AppsDeps, id: string, secretId: string, actor: string): Promise<void> {
  const now = deps.clock.now()
  await deps.database.transaction(async (tx) => {
    if ((await store.findApp(tx, id)) === undefined) throw noApp(id)
    if (!(await store.endReplacedSecret(tx, id, secretId))) {
      const isCurrent = (await store.listAppSecrets(tx, id, now)).some((each) => each.id === secretId)
      if (isCurrent) throw new ApiError('bad_request', 'This is the current secret. Rotate it first.')
      throw new ApiError('not_found', 'The app has no such secret.')
    }
    await auditApp(tx, id, { at: now, actor, action: 'app.end_secret', detail: { secret: secretId } })
  })
}

function noApp(id: string): ApiError {
  return new ApiError('not_found', `There is no app ${id}.`)
}

function newSecret(): string {
  return `trs_${randomSecret()}`
}

function storedSecret({ hasher }: AppsDeps, secret: string, now: number): store.StoredSecret {
  return { id: newId(now), hash: hasher.hash('app_secret', secret), createdAt: now, expiresAt: undefined }
}

function checkName(name: string): string {
  const clean = name.trim()
  if (clean.length > 0 && clean.length <= 100 && !/[\p{Cc}\p{Cf}]/u.test(clean)) return clean
  throw invalidInput('bad_parameter', 'name', 'must have 1 to 100 visible characters.')
}

function checkRedirectUris(uris: string[]): string[] {
  if (uris.length === 0)
    throw invalidInput('bad_parameter', 'redirect_uris', 'give at least one address that people return to.')
  if (uris.length > 50) throw invalidInput('bad_parameter', 'redirect_uris', 'at most 50 addresses.')
  return [...new Set(uris.map(checkRedirectUri))]
}
