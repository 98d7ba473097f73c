import { type BodyOf, type Core, call, type QueryOf, type ResponseOf } from './core.ts'
import type { Overview } from './generated/api.ts'
import { type Paged, pagedById, pagedByNext } from './pages.ts'
import { createTransport, type RequestOptions, type TransportOptions } from './transport.ts'

type OfApp = '/admin/apps/{client_id}'
type Call = ResponseOf<`GET ${OfApp}/calls`>[number]
type Audited = ResponseOf<'GET /admin/audit'>['entries'][number]
type Fault = ResponseOf<`GET ${OfApp}/faults`>['faults'][number]
type Logged = ResponseOf<`GET ${OfApp}/log`>['operations'][number]
type Quarantined = ResponseOf<`GET ${OfApp}/quarantine`>['quarantine'][number]

const CALLS_PER_PAGE = 100

export type AdminClient = ReturnType<typeof createAdmin>

/** The operator's client: apps and their keys, quotas, rules and faults. */
export function createAdmin({ adminToken, ...options }: TransportOptions & { adminToken: string }) {
  const core: Core = { transport: createTransport(options), authorization: `Bearer ${adminToken}` }
  const of = (clientId: string, given?: RequestOptions) => ({ path: { client_id: clientId }, options: given })
  return {
    /** The state of the installation at a glance, or of one app. */
    overview: (clientId?: string, given?: RequestOptions): Promise<Overview> =>
      clientId === undefined
        ? call(core, 'GET /admin/overview', { options: given })
        : call(core, 'GET /admin/apps/{client_id}/overview', of(clientId, given)),
    apps: {
      list: (given?: RequestOptions): Promise<ResponseOf<'GET /admin/apps'>> =>
        call(core, 'GET /admin/apps', { options: given }),
      create: (app: BodyOf<'POST /admin/apps'>, given?: RequestOptions): Promise<ResponseOf<'POST /admin/apps'>> =>
        call(core, 'POST /admin/apps', { body: app, options: given }),
      get: (clientId: string, given?: RequestOptions): Promise<ResponseOf<'GET /admin/apps/{client_id}'>> =>
        call(core, 'GET /admin/apps/{client_id}', of(clientId, given)),
      change: (
        clientId: string,
        changes: BodyOf<`PATCH ${OfApp}`>,
        given?: RequestOptions,
      ): Promise<ResponseOf<'PATCH /admin/apps/{client_id}'>> =>
        call(core, 'PATCH /admin/apps/{client_id}', { ...of(clientId, given), body: changes }),
      remove: (
        clientId: string,
        query?: QueryOf<`DELETE ${OfApp}`>,
        given?: RequestOptions,
      ): Promise<ResponseOf<'DELETE /admin/apps/{client_id}'>> =>
        call(core, 'DELETE /admin/apps/{client_id}', { ...of(clientId, given), query }),
      rotateSecret: (
        clientId: string,
        body: BodyOf<`POST ${OfApp}/rotate-secret`> = {},
        given?: RequestOptions,
      ): Promise<ResponseOf<'POST /admin/apps/{client_id}/rotate-secret'>> =>
        call(core, 'POST /admin/apps/{client_id}/rotate-secret', { ...of(clientId, given), body }),
      /** Ends a replaced secret before its overlap is over. */
      endSecret: (
        clientId: string,
        id: string,
        given?: RequestOptions,
      ): Promise<ResponseOf<'DELETE /admin/apps/{client_id}/secrets/{id}'>> =>
        call(core, 'DELETE /admin/apps/{client_id}/secrets/{id}', {
          path: { client_id: clientId, id },
          options: given,
        }),
      deletions: (given?: RequestOptions): Promise<ResponseOf<'GET /admin/deletions'>> =>
        call(core, 'GET /admin/deletions', { options: given }),
      usage: (
        clientId: string,
        query?: QueryOf<`GET ${OfApp}/usage`>,
        given?: RequestOptions,
      ): Promise<ResponseOf<'GET /admin/apps/{client_id}/usage'>> =>
        call(core, 'GET /admin/apps/{client_id}/usage', { ...of(clientId, given), query }),
      parked: (clientId: string, given?: RequestOptions): Promise<ResponseOf<'GET /admin/apps/{client_id}/parked'>> =>
        call(core, 'GET /admin/apps/{client_id}/parked', of(clientId, given)),
      hooks: (clientId: string, given?: RequestOptions): Promise<ResponseOf<'GET /admin/apps/{client_id}/hooks'>> =>
        call(core, 'GET /admin/apps/{client_id}/hooks', of(clientId, given)),
      /** Calls through the proxy, newest first. */
      calls: (clientId: string, query?: QueryOf<`GET ${OfApp}/calls`>, given?: RequestOptions): Paged<Call> =>
        pagedById(core, 'GET /admin/apps/{client_id}/calls', { ...of(clientId, given), query }, CALLS_PER_PAGE),
      /** Sign-ins, syncs, proxied calls and deliveries, newest first. */
      log: (clientId: string, query?: QueryOf<`GET ${OfApp}/log`>, given?: RequestOptions): Paged<Logged> =>
        pagedByNext(core, 'GET /admin/apps/{client_id}/log', 'operations', { ...of(clientId, given), query }, 'cursor'),
      /** One of them with its steps. */
      inspect: (
        clientId: string,
        id: string,
        given?: RequestOptions,
      ): Promise<ResponseOf<'GET /admin/apps/{client_id}/log/{id}'>> =>
        call(core, 'GET /admin/apps/{client_id}/log/{id}', { path: { client_id: clientId, id }, options: given }),
      faults: (clientId: string, given?: RequestOptions): Paged<Fault> =>
        pagedByNext(core, 'GET /admin/apps/{client_id}/faults', 'faults', of(clientId, given)),
      quarantine: (clientId: string, given?: RequestOptions): Paged<Quarantined> =>
        pagedByNext(core, 'GET /admin/apps/{client_id}/quarantine', 'quarantine', of(clientId, given)),
      retryQuarantine: (
        clientId: string,
        given?: RequestOptions,
      ): Promise<ResponseOf<'POST /admin/apps/{client_id}/quarantine/retry'>> =>
        call(core, 'POST /admin/apps/{client_id}/quarantine/retry', of(clientId, given)),
    },
    rules: {
      get: (clientId: string, given?: RequestOptions): Promise<ResponseOf<'GET /admin/apps/{client_id}/sync'>> =>
        call(core, 'GET /admin/apps/{client_id}/sync', of(clientId, given)),
      set: (
        clientId: string,
        rules: BodyOf<`PUT ${OfApp}/sync`>,
        given?: RequestOptions,
      ): Promise<ResponseOf<'PUT /admin/apps/{client_id}/sync'>> =>
        call(core, 'PUT /admin/apps/{client_id}/sync', { ...of(clientId, given), body: rules }),
    },
    quotas: {
      get: (clientId: string, given?: RequestOptions): Promise<ResponseOf<'GET /admin/apps/{client_id}/quotas'>> =>
        call(core, 'GET /admin/apps/{client_id}/quotas', of(clientId, given)),
      set: (
        clientId: string,
        quotas: BodyOf<`PUT ${OfApp}/quotas`>,
        given?: RequestOptions,
      ): Promise<ResponseOf<'PUT /admin/apps/{client_id}/quotas'>> =>
        call(core, 'PUT /admin/apps/{client_id}/quotas', { ...of(clientId, given), body: quotas }),
    },
    spending: {
      get: (clientId: string, given?: RequestOptions): Promise<ResponseOf<'GET /admin/apps/{client_id}/spending'>> =>
        call(core, 'GET /admin/apps/{client_id}/spending', of(clientId, given)),
      change: (
        clientId: string,
        changes: BodyOf<`PATCH ${OfApp}/spending`>,
        given?: RequestOptions,
      ): Promise<ResponseOf<'PATCH /admin/apps/{client_id}/spending'>> =>
        call(core, 'PATCH /admin/apps/{client_id}/spending', { ...of(clientId, given), body: changes }),
    },
    operators: {
      list: (given?: RequestOptions): Promise<ResponseOf<'GET /admin/operators'>> =>
        call(core, 'GET /admin/operators', { options: given }),
      /** A link with which a person becomes an operator or developer. */
      add: (
        invited: BodyOf<'POST /admin/operators'>,
        given?: RequestOptions,
      ): Promise<ResponseOf<'POST /admin/operators'>> =>
        call(core, 'POST /admin/operators', { body: invited, options: given }),
      change: (
        id: string,
        changes: BodyOf<'PATCH /admin/operators/{id}'>,
        given?: RequestOptions,
      ): Promise<ResponseOf<'PATCH /admin/operators/{id}'>> =>
        call(core, 'PATCH /admin/operators/{id}', { path: { id }, body: changes, options: given }),
      remove: (id: string, given?: RequestOptions): Promise<ResponseOf<'DELETE /admin/operators/{id}'>> =>
        call(core, 'DELETE /admin/operators/{id}', { path: { id }, options: given }),
      /** A link with which an operator sets a new password or passkey. */
      link: (id: string, given?: RequestOptions): Promise<ResponseOf<'POST /admin/operators/{id}/link'>> =>
        call(core, 'POST /admin/operators/{id}/link', { path: { id }, options: given }),
      links: (given?: RequestOptions): Promise<ResponseOf<'GET /admin/operators/links'>> =>
        call(core, 'GET /admin/operators/links', { options: given }),
      revokeLink: (id: string, given?: RequestOptions): Promise<ResponseOf<'DELETE /admin/operators/links/{id}'>> =>
        call(core, 'DELETE /admin/operators/links/{id}', { path: { id }, options: given }),
      endSessions: (id: string, given?: RequestOptions): Promise<ResponseOf<'DELETE /admin/operators/{id}/sessions'>> =>
        call(core, 'DELETE /admin/operators/{id}/sessions', { path: { id }, options: given }),
    },
    sessions: {
      list: (given?: RequestOptions): Promise<ResponseOf<'GET /admin/sessions'>> =>
        call(core, 'GET /admin/sessions', { options: given }),
      end: (id: string, given?: RequestOptions): Promise<ResponseOf<'DELETE /admin/sessions/{id}'>> =>
        call(core, 'DELETE /admin/sessions/{id}', { path: { id }, options: given }),
    },
    /** The audit log, newest first. */
    audit: (query?: QueryOf<'GET /admin/audit'>, given?: RequestOptions): Paged<Audited> =>
      pagedByNext(core, 'GET /admin/audit', 'entries', { query, options: given }, 'cursor'),
    settings: (given?: RequestOptions): Promise<ResponseOf<'GET /admin/settings'>> =>
      call(core, 'GET /admin/settings', { options: given }),
    keys: {
      list: (clientId: string, given?: RequestOptions): Promise<ResponseOf<'GET /admin/apps/{client_id}/keys'>> =>
        call(core, 'GET /admin/apps/{client_id}/keys', of(clientId, given)),
      set: (
        clientId: string,
        service: string,
        key: BodyOf<`PUT ${OfApp}/keys/{service}`>,
        given?: RequestOptions,
      ): Promise<ResponseOf<'PUT /admin/apps/{client_id}/keys/{service}'>> =>
        call(core, 'PUT /admin/apps/{client_id}/keys/{service}', {
          path: { client_id: clientId, service },
          body: key,
          options: given,
        }),
      /** Tries the keys at the service, as far as that is possible without a person. */
      test: (
        clientId: string,
        service: string,
        given?: RequestOptions,
      ): Promise<ResponseOf<'POST /admin/apps/{client_id}/keys/{service}/test'>> =>
        call(core, 'POST /admin/apps/{client_id}/keys/{service}/test', {
          path: { client_id: clientId, service },
          options: given,
        }),
      /** Test mode: keys at the demo services, while `tributary demo` runs. */
      useDemoServices: (
        clientId: string,
        given?: RequestOptions,
      ): Promise<ResponseOf<'POST /admin/apps/{client_id}/demo-services'>> =>
        call(core, 'POST /admin/apps/{client_id}/demo-services', of(clientId, given)),
      remove: (
        clientId: string,
        service: string,
        given?: RequestOptions,
      ): Promise<ResponseOf<'DELETE /admin/apps/{client_id}/keys/{service}'>> =>
        call(core, 'DELETE /admin/apps/{client_id}/keys/{service}', {
          path: { client_id: clientId, service },
          options: given,
        }),
    },
  }
}
