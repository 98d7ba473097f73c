import { type AccountClient, createAccount } from './account.ts'
import {
  type ConnectContext,
  type Connected,
  type ConnectParameters,
  connectUrl,
  type ExchangeExtras,
  exchange,
  finishConnect,
  type StartedConnect,
  startConnect,
} from './connect.ts'
import { type BodyOf, type Core, call, type QueryOf, type ResponseOf, send } from './core.ts'
import { type AppChangesPage, followChanges, readChanges } from './follow.ts'
import type { Account, FoundService, Services } from './generated/api.ts'
import { type Paged, pagedByLink } from './pages.ts'
import { createArchives, createPush } from './push.ts'
import { readValues } from './streams.ts'
import { createTransport, type RequestOptions, type TransportOptions } from './transport.ts'

export interface ClientOptions extends TransportOptions {
  clientId: string
  /** Only on a server. A public client has none, and only connects people and reads for them. */
  clientSecret?: string | undefined
  /** The address that the server calls itself, if `baseUrl` is another name for it. */
  issuer?: string | undefined
}

/** How long a request for changes waits for the next one. */
const LONG_POLL_S = 25

/** Services on a page of a search. */
const FOUND_ON_PAGE = 50

type ServicesQuery = NonNullable<QueryOf<'GET /services'>>

export type Client = ReturnType<typeof createClient>

/** The client of an app. */
export function createClient(options: ClientOptions) {
  const transport = createTransport(options)
  const { clientId, clientSecret } = options
  const core: Core = {
    transport,
    authorization: clientSecret === undefined ? undefined : `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
  }
  const issuer = (options.issuer ?? transport.baseUrl).replace(/\/+$/, '')
  const context: ConnectContext = { core, clientId, clientSecret, issuer }
  const open: Core = { transport, authorization: undefined }
  const inAccount = (id: string, profile: string, given?: RequestOptions) => ({ path: { id, profile }, options: given })

  return {
    /** The address that begins a sign-in, without PKCE; use `startConnect` unless something else exchanges the code. */
    connectUrl: (parameters: ConnectParameters): string => connectUrl(context, parameters),
    /** Begins a sign-in with PKCE and a random `state`. */
    startConnect: (parameters: ConnectParameters): Promise<StartedConnect> => startConnect(context, parameters),
    /** Completes a sign-in at the address that the person returned to. */
    finishConnect: (
      returned: string | URL | URLSearchParams,
      started: Pick<StartedConnect, 'state' | 'verifier' | 'redirect_uri'>,
      extras?: ExchangeExtras,
      given?: RequestOptions,
    ): Promise<Connected> => finishConnect(context, returned, started, extras, given),
    exchange: (
      fields: { code: string; code_verifier?: string; redirect_uri?: string } & ExchangeExtras,
      given?: RequestOptions,
    ): Promise<Connected> => exchange(context, fields, given),
    revoke: (token: string, given?: RequestOptions): Promise<ResponseOf<'POST /oauth/revoke'>> =>
      call(core, 'POST /oauth/revoke', { body: { token }, options: given }),

    /** What the app may do for one person. */
    account: (accessToken: string): AccountClient => createAccount(transport, accessToken),

    /** Describes all services that sync, or those that are named, also of the catalogue. */
    services: (query?: Pick<ServicesQuery, 'client_id' | 'names'>, given?: RequestOptions): Promise<Services> =>
      call(open, 'GET /services', { query: { client_id: clientId, ...query }, options: given }) as Promise<Services>,
    /** Finds services by words, category and more, the best match first; without a query all of them, by title. */
    findServices: (query?: Omit<ServicesQuery, 'names'>, given?: RequestOptions): Paged<FoundService> =>
      pagedByLink(open, 'GET /services', {
        // `limit` asks for a list, also without anything to search for.
        query: { client_id: clientId, limit: FOUND_ON_PAGE, ...query },
        options: given,
      }),
    /** Attaches a profile with a token that the app already has. */
    apply: (
      service: string,
      fields: BodyOf<'POST /auth/{service}/apply'>,
      given?: RequestOptions,
    ): Promise<ResponseOf<'POST /auth/{service}/apply'>> =>
      call(core, 'POST /auth/{service}/apply', { path: { service }, body: fields, options: given }),
    applyBatch: (
      accounts: BodyOf<'POST /auth/apply/batch'>['accounts'],
      given?: RequestOptions,
    ): Promise<ResponseOf<'POST /auth/apply/batch'>> =>
      call(core, 'POST /auth/apply/batch', { body: { accounts }, options: given }),
    /** Moves all profiles of the account `source` into `dest`; both are access tokens. */
    merge: (fields: BodyOf<'POST /auth/merge'>, given?: RequestOptions): Promise<ResponseOf<'POST /auth/merge'>> =>
      call(open, 'POST /auth/merge', { body: fields, options: given }),

    accounts: {
      list: (query?: QueryOf<'GET /accounts'>, given?: RequestOptions): Paged<Account> =>
        pagedByLink(core, 'GET /accounts', { query, options: given }),
      get: (id: string, given?: RequestOptions): Promise<ResponseOf<'GET /accounts/{id}'>> =>
        call(core, 'GET /accounts/{id}', { path: { id }, options: given }),
      reconnect: (
        id: string,
        profile: string,
        body: BodyOf<'POST /accounts/{id}/profiles/{profile}/reconnect'> = {},
        given?: RequestOptions,
      ): Promise<ResponseOf<'POST /accounts/{id}/profiles/{profile}/reconnect'>> =>
        call(core, 'POST /accounts/{id}/profiles/{profile}/reconnect', { ...inAccount(id, profile, given), body }),
      /** A link to the page on which the person of an account sees and ends their connections. Give it to that person only. */
      connectionsLink: (
        account: string,
        body: Omit<BodyOf<'POST /connections/sessions'>, 'account'> = {},
        given?: RequestOptions,
      ): Promise<ResponseOf<'POST /connections/sessions'>> =>
        call(core, 'POST /connections/sessions', { body: { account, ...body }, options: given }),
      /** Erases an account: items, profiles, tokens, and rows at destinations. Repeat it while the state is `erasing`. */
      erase: (id: string, given?: RequestOptions): Promise<ResponseOf<'DELETE /accounts/{id}'>> =>
        call(core, 'DELETE /accounts/{id}', { path: { id }, options: given }),
      /** Everything stored about an account, as it arrives: first the account with its profiles, then every item. */
      export: (id: string, given?: RequestOptions): AsyncGenerator<Record<string, unknown>> => {
        const kind = { isStream: true, accept: 'application/x-ndjson' }
        const begin = () => send(core, 'GET /accounts/{id}/export', { path: { id }, options: given }, kind)
        return readValues<Record<string, unknown>>(begin, { parse: transport.parseJson, signal: given?.signal })
      },
      pause: (
        id: string,
        profile: string,
        given?: RequestOptions,
      ): Promise<ResponseOf<'POST /accounts/{id}/profiles/{profile}/pause'>> =>
        call(core, 'POST /accounts/{id}/profiles/{profile}/pause', inAccount(id, profile, given)),
      resume: (
        id: string,
        profile: string,
        given?: RequestOptions,
      ): Promise<ResponseOf<'POST /accounts/{id}/profiles/{profile}/resume'>> =>
        call(core, 'POST /accounts/{id}/profiles/{profile}/resume', inAccount(id, profile, given)),
    },
    /** Tokens of an account that only call the API of one service, for the SDK of its vendor. */
    proxyTokens: {
      list: (account: string, given?: RequestOptions): Promise<ResponseOf<'GET /accounts/{id}/proxy-tokens'>> =>
        call(core, 'GET /accounts/{id}/proxy-tokens', { path: { id: account }, options: given }),
      /** The `token` is returned only here. */
      create: (
        account: string,
        token: BodyOf<'POST /accounts/{id}/proxy-tokens'>,
        given?: RequestOptions,
      ): Promise<ResponseOf<'POST /accounts/{id}/proxy-tokens'>> =>
        call(core, 'POST /accounts/{id}/proxy-tokens', { path: { id: account }, body: token, options: given }),
      revoke: (
        account: string,
        id: string,
        given?: RequestOptions,
      ): Promise<ResponseOf<'DELETE /accounts/{id}/proxy-tokens/{token_id}'>> =>
        call(core, 'DELETE /accounts/{id}/proxy-tokens/{token_id}', {
          path: { id: account, token_id: id },
          options: given,
        }),
    },
    /** Links by which one person connects a service, made by the app's server: no token is in an address. */
    connectSessions: {
      /** The `url` is for the person; it is returned only here. */
      create: (
        session: BodyOf<'POST /connect/sessions'>,
        given?: RequestOptions,
      ): Promise<ResponseOf<'POST /connect/sessions'>> =>
        call(core, 'POST /connect/sessions', { body: session, options: given }),
      get: (id: string, given?: RequestOptions): Promise<ResponseOf<'GET /connect/sessions/{id}'>> =>
        call(core, 'GET /connect/sessions/{id}', { path: { id }, options: given }),
      revoke: (id: string, given?: RequestOptions): Promise<ResponseOf<'DELETE /connect/sessions/{id}'>> =>
        call(core, 'DELETE /connect/sessions/{id}', { path: { id }, options: given }),
    },
    /** Changes of all accounts of the app. The first request begins the feed. */
    changes: {
      read: (query?: QueryOf<'GET /accounts/changes'>, given?: RequestOptions): AsyncGenerator<AppChangesPage> =>
        readChanges(core, 'GET /accounts/changes', query, given),
      /** Goes on with new changes, by long polling, until the signal is aborted. */
      follow: (query?: QueryOf<'GET /accounts/changes'>, given?: RequestOptions): AsyncGenerator<AppChangesPage> =>
        followChanges(core, 'GET /accounts/changes', { wait: LONG_POLL_S, ...query }, { pollMs: 0, ...given }),
      /** Stops recording changes; cursors end. */
      end: (given?: RequestOptions): Promise<ResponseOf<'DELETE /accounts/changes'>> =>
        call(core, 'DELETE /accounts/changes', { options: given }),
    },
    usage: (query?: QueryOf<'GET /usage'>, given?: RequestOptions): Promise<ResponseOf<'GET /usage'>> =>
      call(core, 'GET /usage', { query, options: given }),
    spending: {
      get: (given?: RequestOptions): Promise<ResponseOf<'GET /spending'>> =>
        call(core, 'GET /spending', { options: given }),
      change: (changes: BodyOf<'PATCH /spending'>, given?: RequestOptions): Promise<ResponseOf<'PATCH /spending'>> =>
        call(core, 'PATCH /spending', { body: changes, options: given }),
    },

    push: createPush(core) as ReturnType<typeof createPush>,
    archives: createArchives(core) as ReturnType<typeof createArchives>,

    server: {
      /** The metadata of the authorization server (RFC 8414). */
      metadata: (given?: RequestOptions): Promise<ResponseOf<'GET /.well-known/oauth-authorization-server'>> =>
        call(open, 'GET /.well-known/oauth-authorization-server', { options: given }),
      openapi: (given?: RequestOptions): Promise<ResponseOf<'GET /openapi.json'>> =>
        call(open, 'GET /openapi.json', { options: given }),
      alive: (given?: RequestOptions): Promise<ResponseOf<'GET /healthz'>> =>
        call(open, 'GET /healthz', { options: given }),
      /** Throws a `TributaryError` with status 503 while the server is not ready. */
      ready: (given?: RequestOptions): Promise<ResponseOf<'GET /readyz'>> =>
        call(open, 'GET /readyz', { options: { retries: 0, ...given } }),
    },
  }
}
