import { type BodyOf, type Core, call, type QueryOf, type ResponseOf, send, type UploadContent } from './core.ts'
import { type ChangesPage, followChanges, followProgress, type ProgressEvent, readChanges } from './follow.ts'
import type { Item, Person } from './generated/api.ts'
import type { ItemTypes, Selected } from './item-types.ts'
import { type Paged, pagedByLink } from './pages.ts'
import { createProxy, type ProxyFetch } from './proxy.ts'
import { readValues } from './streams.ts'
import type { RequestOptions, Transport } from './transport.ts'

export type ItemQuery = NonNullable<QueryOf<'GET /types/{type}'>>
export type EndpointQuery = NonNullable<QueryOf<'GET /services/{service}/{endpoint}'>>
type OneQuery = Omit<NonNullable<QueryOf<'GET /id/{id}'>>, 'media'>
type Profile = '/profiles/{profile}'

export type AccountClient = ReturnType<typeof createAccount>

/** What an app may do for one person, with the access token of their account. */
export function createAccount(transport: Transport, accessToken: string) {
  const core: Core = { transport, authorization: `Bearer ${accessToken}` }
  const onProfile = (profile: string, options?: RequestOptions) => ({ path: { profile }, options })

  /** Items of one long response, as they arrive: `limit` may be any number. */
  const streamed = <T>(open: () => Promise<Response>, options: RequestOptions | undefined) =>
    readValues<T>(open, { parse: transport.parseJson, signal: options?.signal })

  return {
    /** The person, merged from all profiles. */
    person: (options?: RequestOptions): Promise<ResponseOf<'GET /profile'>> => call(core, 'GET /profile', { options }),

    profiles: {
      list: (query?: QueryOf<'GET /profiles'>, options?: RequestOptions): Promise<ResponseOf<'GET /profiles'>> =>
        call(core, 'GET /profiles', { query, options }),
      /** The service's own record of a profile: `github`, `42@github`. */
      get: (
        profile: string,
        query?: QueryOf<`GET ${Profile}`>,
        options?: RequestOptions,
      ): Promise<ResponseOf<'GET /profiles/{profile}'>> =>
        call(core, 'GET /profiles/{profile}', { ...onProfile(profile, options), query }),
      /** Disconnects: erases the profile's data and revokes its token at the service. */
      remove: (profile: string, options?: RequestOptions): Promise<ResponseOf<'DELETE /profiles/{profile}'>> =>
        call(core, 'DELETE /profiles/{profile}', onProfile(profile, options)),
      /** Deletes the whole account. */
      removeAll: (options?: RequestOptions): Promise<ResponseOf<'DELETE /profiles'>> =>
        call(core, 'DELETE /profiles', { options }),
      progress: (profile: string, options?: RequestOptions): Promise<ResponseOf<'GET /profiles/{profile}/sync'>> =>
        call(core, 'GET /profiles/{profile}/sync', onProfile(profile, options)),
      /** Follows the first sync live, until it is done. */
      follow: (profile: string, options?: RequestOptions): AsyncGenerator<ProgressEvent> =>
        followProgress(core, 'GET /profiles/{profile}/sync', onProfile(profile, options)),
      sync: (
        profile: string,
        body: BodyOf<`POST ${Profile}/sync`> = {},
        options?: RequestOptions,
      ): Promise<ResponseOf<'POST /profiles/{profile}/sync'>> =>
        call(core, 'POST /profiles/{profile}/sync', { ...onProfile(profile, options), body }),
      reset: (profile: string, options?: RequestOptions): Promise<ResponseOf<'POST /profiles/{profile}/reset'>> =>
        call(core, 'POST /profiles/{profile}/reset', onProfile(profile, options)),
      pause: (profile: string, options?: RequestOptions): Promise<ResponseOf<'POST /profiles/{profile}/pause'>> =>
        call(core, 'POST /profiles/{profile}/pause', onProfile(profile, options)),
      resume: (profile: string, options?: RequestOptions): Promise<ResponseOf<'POST /profiles/{profile}/resume'>> =>
        call(core, 'POST /profiles/{profile}/resume', onProfile(profile, options)),
      /** A link by which the person signs in again. */
      reconnect: (
        profile: string,
        body: BodyOf<`POST ${Profile}/reconnect`> = {},
        options?: RequestOptions,
      ): Promise<ResponseOf<'POST /profiles/{profile}/reconnect'>> =>
        call(core, 'POST /profiles/{profile}/reconnect', { ...onProfile(profile, options), body }),
    },

    sync: {
      /** Whether the first sync is done, of the account and each profile. */
      get: (options?: RequestOptions): Promise<ResponseOf<'GET /sync'>> => call(core, 'GET /sync', { options }),
      /** Follows the first sync of all profiles live, until it is done. */
      follow: (options?: RequestOptions): AsyncGenerator<ProgressEvent<ResponseOf<'GET /sync'>>> =>
        followProgress(core, 'GET /sync', { options }),
    },

    /** Items of one type, of all services. */
    items: <T extends keyof ItemTypes, const Q extends ItemQuery = ItemQuery>(
      type: T,
      query?: Q,
      options?: RequestOptions,
    ): Paged<Selected<Q, ItemTypes[T]>> => pagedByLink(core, 'GET /types/{type}', { path: { type }, query, options }),
    /** The same in one response, read as it arrives. Breaks off with `StreamError` rather than end early. */
    stream: <T extends keyof ItemTypes, const Q extends ItemQuery = ItemQuery>(
      type: T,
      query?: Q,
      options?: RequestOptions,
    ): AsyncGenerator<Selected<Q, ItemTypes[T]>> =>
      streamed<Selected<Q, ItemTypes[T]>>(
        () => send(core, 'GET /types/{type}', { path: { type }, query, options }, { isStream: true }),
        options,
      ),
    /** How many items there are of each type. */
    counts: (query?: QueryOf<'GET /types'>, options?: RequestOptions): Promise<ResponseOf<'GET /types'>> =>
      call(core, 'GET /types', { query, options }),
    /** An item by its id or IDR. */
    item: (id: string, query?: OneQuery, options?: RequestOptions): Promise<Item> =>
      call(core, 'GET /id/{id}', { path: { id }, query, options }) as Promise<Item>,

    endpoints: {
      /** Items of one endpoint of a service. */
      items: <const Q extends EndpointQuery = EndpointQuery>(
        service: string,
        endpoint: string,
        query?: Q,
        options?: RequestOptions,
      ): Paged<Selected<Q, Item>> =>
        pagedByLink(core, 'GET /services/{service}/{endpoint}', { path: { service, endpoint }, query, options }),
      stream: <const Q extends EndpointQuery = EndpointQuery>(
        service: string,
        endpoint: string,
        query?: Q,
        options?: RequestOptions,
      ): AsyncGenerator<Selected<Q, Item>> => {
        const input = { path: { service, endpoint }, query, options }
        return streamed<Selected<Q, Item>>(
          () => send(core, 'GET /services/{service}/{endpoint}', input, { isStream: true }),
          options,
        )
      },
      /** An item by its id at the service. */
      item: (
        service: string,
        endpoint: string,
        id: string,
        query?: OneQuery,
        options?: RequestOptions,
      ): Promise<Item> =>
        call(core, 'GET /services/{service}/{endpoint}/{id}', {
          path: { service, endpoint, id },
          query,
          options,
        }) as Promise<Item>,
      counts: (
        service: string,
        query?: QueryOf<'GET /services/{service}'>,
        options?: RequestOptions,
      ): Promise<ResponseOf<'GET /services/{service}'>> =>
        call(core, 'GET /services/{service}', { path: { service }, query, options }),
    },

    /** The app's own items. */
    own: {
      items: (endpoint: string, query?: EndpointQuery, options?: RequestOptions): Paged<Item> =>
        pagedByLink(core, 'GET /services/self/{endpoint}', { path: { endpoint }, query, options }),
      item: (endpoint: string, id: string, query?: OneQuery, options?: RequestOptions): Promise<Item> =>
        call(core, 'GET /services/self/{endpoint}/{id}', { path: { endpoint, id }, query, options }) as Promise<Item>,
      store: (
        endpoint: string,
        items: BodyOf<'POST /services/self/{endpoint}'>,
        options?: RequestOptions,
      ): Promise<ResponseOf<'POST /services/self/{endpoint}'>> =>
        call(core, 'POST /services/self/{endpoint}', { path: { endpoint }, body: items, options }),
      remove: (
        endpoint: string,
        id: string,
        options?: RequestOptions,
      ): Promise<ResponseOf<'DELETE /services/self/{endpoint}/{id}'>> =>
        call(core, 'DELETE /services/self/{endpoint}/{id}', { path: { endpoint, id }, options }),
    },

    /** Files of records that people export elsewhere: calendars, contacts, or a ZIP archive with such files. */
    uploads: {
      /** Sending the same file again changes nothing. */
      add: (
        service: string,
        file: UploadContent,
        options?: RequestOptions,
      ): Promise<ResponseOf<'POST /uploads/{service}'>> =>
        call(core, 'POST /uploads/{service}', { path: { service }, content: file, options }),
    },

    people: {
      list: (query?: QueryOf<'GET /people'>, options?: RequestOptions): Paged<Person> =>
        pagedByLink(core, 'GET /people', { query, options }),
      get: (
        id: string,
        query?: QueryOf<'GET /people/{id}'>,
        options?: RequestOptions,
      ): Promise<ResponseOf<'GET /people/{id}'>> => call(core, 'GET /people/{id}', { path: { id }, query, options }),
      items: (id: string, query?: QueryOf<'GET /people/{id}/items'>, options?: RequestOptions): Paged<Item> =>
        pagedByLink(core, 'GET /people/{id}/items', { path: { id }, query, options }),
      /** Makes people one, by any contact of each. It counts more than what their contacts say, until it is undone. */
      join: (people: string[], options?: RequestOptions): Promise<ResponseOf<'POST /people/join'>> =>
        call(core, 'POST /people/join', { body: { people }, options }),
      /** Makes these contacts of a person another person. */
      split: (
        id: string,
        contacts: string[],
        options?: RequestOptions,
      ): Promise<ResponseOf<'POST /people/{id}/split'>> =>
        call(core, 'POST /people/{id}/split', { path: { id }, body: { contacts }, options }),
      decisions: {
        list: (options?: RequestOptions): Promise<ResponseOf<'GET /people/decisions'>> =>
          call(core, 'GET /people/decisions', { options }),
        undo: (id: string, options?: RequestOptions): Promise<ResponseOf<'DELETE /people/decisions/{id}'>> =>
          call(core, 'DELETE /people/decisions/{id}', { path: { id }, options }),
      },
    },

    /** What changed after a cursor, up to the present. */
    changes: (query?: QueryOf<'GET /changes'>, options?: RequestOptions): AsyncGenerator<ChangesPage> =>
      readChanges(core, 'GET /changes', query, options),
    /** The same, and then every new change, until the signal is aborted. */
    followChanges: (
      query?: QueryOf<'GET /changes'>,
      options?: RequestOptions & { pollMs?: number },
    ): AsyncGenerator<ChangesPage> => followChanges(core, 'GET /changes', query, options),

    /** Everything stored about the account, as it arrives: first the account with its profiles, then every item. */
    export: (options?: RequestOptions): AsyncGenerator<Record<string, unknown>> =>
      streamed<Record<string, unknown>>(
        () => send(core, 'GET /export', { options }, { isStream: true, accept: 'application/x-ndjson' }),
        options,
      ),

    /** A link to the page on which the person sees and ends their connections. Give it to that person only. */
    connectionsLink: (
      body: BodyOf<'POST /connections/link'> = {},
      options?: RequestOptions,
    ): Promise<ResponseOf<'POST /connections/link'>> => call(core, 'POST /connections/link', { body, options }),
    /** What the person allowed agents to do. */
    agents: {
      list: (options?: RequestOptions): Promise<ResponseOf<'GET /agents'>> => call(core, 'GET /agents', { options }),
      remove: (id: string, options?: RequestOptions): Promise<ResponseOf<'DELETE /agents/{id}'>> =>
        call(core, 'DELETE /agents/{id}', { path: { id }, options }),
    },

    /** Tokens that only call the API of one service, for the SDK of its vendor. */
    proxyTokens: {
      list: (options?: RequestOptions): Promise<ResponseOf<'GET /proxy-tokens'>> =>
        call(core, 'GET /proxy-tokens', { options }),
      /** The `token` is returned only here. It ends with the access token of this client. */
      create: (
        token: BodyOf<'POST /proxy-tokens'>,
        options?: RequestOptions,
      ): Promise<ResponseOf<'POST /proxy-tokens'>> => call(core, 'POST /proxy-tokens', { body: token, options }),
      revoke: (id: string, options?: RequestOptions): Promise<ResponseOf<'DELETE /proxy-tokens/{id}'>> =>
        call(core, 'DELETE /proxy-tokens/{id}', { path: { id }, options }),
    },
    /** A `fetch` that calls the API of a service as the person: `github`, or `42@github` for one of several profiles. */
    proxy: (service: string): ProxyFetch => createProxy(core, service),

    /** Ends this access token. */
    revoke: (options?: RequestOptions): Promise<ResponseOf<'POST /oauth/revoke'>> =>
      call({ transport, authorization: undefined }, 'POST /oauth/revoke', { body: { token: accessToken }, options }),
  }
}
