import { timingSafeEqual } from 'node:crypto'
import { type IdentityDeps, TEN_MINUTES_MS } from '#identity/deps.ts'
import { type AgentScope, type AgentSettings, requestedScopes } from '#model/apps/agents.ts'
import { type App, matchesRedirectUri } from '#model/apps/app.ts'
import { ApiError } from '#model/errors.ts'
import type { OauthWord } from '#model/oauth-errors.ts'
import { findApp } from '#store/apps/apps.ts'
import { findPending, insertPending, type Pending, replacePending } from '#store/identity/pending.ts'

/** The authorization request of an agent, not validated yet. */
export interface AgentRequestInput {
  client_id?: string | undefined
  redirect_uri?: string | undefined
  response_type?: string | undefined
  code_challenge?: string | undefined
  code_challenge_method?: string | undefined
  scope?: string | undefined
  resource?: string | undefined
  state?: string | undefined
  locale?: string | undefined
}

/** An app with agents turned on. */
export type AgentApp = App & { agents: AgentSettings }

/** Where the response to the agent goes: a registered address, and the agent's `state`. */
export interface AgentReturn {
  redirectUri: string
  state: string | undefined
  /** The language that the agent asked for. */
  locale?: string | undefined
}

export interface AgentRequest extends AgentReturn {
  codeChallenge: string
  scopes: AgentScope[]
}

/** A failure that is returned to the agent by redirect, after its address was verified. */
export class AgentRefusal extends Error {
  readonly word: OauthWord

  constructor(word: OauthWord, description: string) {
    super(description)
    this.name = 'AgentRefusal'
    this.word = word
  }
}

/** The resource that tokens of agents are for (RFC 8707). */
export function mcpAddress({ config }: Pick<IdentityDeps, 'config'>): string {
  return `${config.baseUrl}/mcp`
}

/** The app of an agent. One without agents is reported like one that does not exist. */
export async function findAgentApp(
  { database }: Pick<IdentityDeps, 'database'>,
  clientId: string | undefined,
): Promise<AgentApp> {
  const app = clientId === undefined ? undefined : await findApp(database, clientId)
  if (app?.agents === undefined)
    throw new ApiError(
      'client_unknown',
      'The `client_id` is missing, unknown, or of an app that has agents turned off.',
      {
        param: 'client_id',
      },
    )
  return { ...app, agents: app.agents }
}

/** Errors are shown to the person on a page, never sent by redirect. */
export async function checkAgentReturn(
  deps: IdentityDeps,
  input: AgentRequestInput,
): Promise<{ app: AgentApp; to: AgentReturn }> {
  const app = await findAgentApp(deps, input.client_id)
  const registered = app.agents.redirectUris
  if (input.redirect_uri === undefined || !matchesRedirectUri(registered, input.redirect_uri)) {
    const sent = input.redirect_uri === undefined ? {} : { redirect_uri: input.redirect_uri }
    const help = { app: { id: app.id, name: app.name }, registered, sent, isAgent: true }
    throw new ApiError(
      'redirect_unregistered',
      'The `redirect_uri` is missing or not registered for agents of this app.',
      { param: 'redirect_uri', help },
    )
  }
  return { app, to: { redirectUri: input.redirect_uri, state: input.state, locale: input.locale } }
}

/** Validates the rest of the request. Errors are returned to the agent. */
export function readAgentRequest(
  deps: IdentityDeps,
  app: AgentApp,
  to: AgentReturn,
  input: AgentRequestInput,
): AgentRequest {
  if (input.response_type !== 'code') throw new AgentRefusal('unsupported_response_type', 'response_type must be code.')
  const { code_challenge: codeChallenge, code_challenge_method: method } = input
  if (codeChallenge === undefined || method !== 'S256' || !/^[\w-]{43}$/.test(codeChallenge))
    throw new AgentRefusal(
      'invalid_request',
      'PKCE is required: code_challenge_method=S256 and a code_challenge of 43 characters.',
    )
  checkResource(deps, input.resource)
  const scopes = requestedScopes(app.agents, input.scope)
  if (scopes.length === 0) throw new AgentRefusal('invalid_scope', 'scope: none of these scopes is offered here.')
  return { ...to, codeChallenge, scopes }
}

function checkResource(deps: IdentityDeps, resource: string | undefined): void {
  if (resource === undefined || !isMcpAddress(deps, resource))
    throw new AgentRefusal('invalid_target', `resource must be ${mcpAddress(deps)}.`)
}

/** Scheme and host may be written in upper case, and a slash may follow. */
export function isMcpAddress(deps: Pick<IdentityDeps, 'config'>, resource: string): boolean {
  return URL.canParse(resource) && new URL(resource).href.replace(/\/$/, '') === new URL(mcpAddress(deps)).href
}

/** The sealed content of a request whose person signs in or decides. */
export interface AgentPending extends AgentRequest {
  /** Proves to our own code exchange that this request began the sign-in. */
  verifier: string
  /** Set when the person has signed in. */
  accountId?: string | undefined
}

/** Fills the column for the service of a sign-in; no service has this name. */
const PENDING_SERVICE = '(agent)'

const pendingHash = ({ hasher }: Pick<IdentityDeps, 'hasher'>, ticket: string) =>
  hasher.hash('pending', `agent ${ticket}`)

export async function storeAgentPending(
  deps: IdentityDeps,
  ticket: string,
  app: App,
  browser: Buffer,
  value: AgentPending,
): Promise<void> {
  await insertPending(deps.database, deps.keyring, pendingHash(deps, ticket), {
    appId: app.id,
    service: PENDING_SERVICE,
    browser,
    value: JSON.stringify(value),
    expiresAt: deps.clock.now() + 2 * TEN_MINUTES_MS,
  })
}

/** Only for the browser that began it, and while the app has agents turned on. */
export async function findAgentPending(
  deps: IdentityDeps,
  ticket: string,
  browser: Buffer | undefined,
): Promise<{ app: AgentApp; value: AgentPending; expiresAt: number }> {
  const pending = await findPending(deps.database, deps.keyring, pendingHash(deps, ticket))
  if (pending === undefined || !isOpenFor(deps, pending, browser)) throw new ApiError('session_expired')
  const app = await findAgentApp(deps, pending.appId)
  return { app, value: JSON.parse(pending.value) as AgentPending, expiresAt: pending.expiresAt }
}

export async function replaceAgentPending(deps: IdentityDeps, ticket: string, value: AgentPending): Promise<void> {
  const isReplaced = await replacePending(deps.database, deps.keyring, pendingHash(deps, ticket), JSON.stringify(value))
  if (!isReplaced) throw new ApiError('session_expired')
}

function isOpenFor({ clock }: IdentityDeps, pending: Pending, browser: Buffer | undefined): boolean {
  return (
    pending.service === PENDING_SERVICE &&
    pending.expiresAt >= clock.now() &&
    browser !== undefined &&
    timingSafeEqual(pending.browser, browser)
  )
}
