import { type BodyOf, type Core, call, type QueryOf, type ResponseOf } from './core.ts'
import type { Delivery } from './generated/api.ts'
import { type Paged, pagedById } from './pages.ts'
import type { RequestOptions } from './transport.ts'

type NewDestination = BodyOf<'POST /push'>

/** How many deliveries a page has unless `limit` says otherwise. */
const DELIVERIES_PER_PAGE = 50

/** Destinations of an app. */
export function createPush(core: Core) {
  const on = (id: string, options?: RequestOptions) => ({ path: { id }, options })
  return {
    list: (options?: RequestOptions): Promise<ResponseOf<'GET /push'>> => call(core, 'GET /push', { options }),
    /** Tests a destination before it is added. */
    testDraft: (draft: BodyOf<'POST /push/test'>, options?: RequestOptions): Promise<ResponseOf<'POST /push/test'>> =>
      call(core, 'POST /push/test', { body: draft, options }),
    /** What a destination would get. */
    preview: (
      draft: BodyOf<'POST /push/preview'>,
      options?: RequestOptions,
    ): Promise<ResponseOf<'POST /push/preview'>> => call(core, 'POST /push/preview', { body: draft, options }),
    /** The kinds of destinations, each with the options that it accepts. */
    kinds: (options?: RequestOptions): Promise<ResponseOf<'GET /push/kinds'>> =>
      call(core, 'GET /push/kinds', { options }),
    /** The SQL that creates a role for deliveries. */
    rights: (query: QueryOf<'GET /push/rights'>, options?: RequestOptions): Promise<ResponseOf<'GET /push/rights'>> =>
      call(core, 'GET /push/rights', { query, options }),
    /** The response has `secret`, the signing secret of a webhook, which is shown only once. */
    add: (destination: NewDestination, options?: RequestOptions): Promise<ResponseOf<'POST /push'>> =>
      call(core, 'POST /push', { body: destination, options }),
    get: (id: string, options?: RequestOptions): Promise<ResponseOf<'GET /push/{id}'>> =>
      call(core, 'GET /push/{id}', on(id, options)),
    change: (
      id: string,
      changes: BodyOf<'PATCH /push/{id}'>,
      options?: RequestOptions,
    ): Promise<ResponseOf<'PATCH /push/{id}'>> => call(core, 'PATCH /push/{id}', { ...on(id, options), body: changes }),
    remove: (
      id: string,
      query?: QueryOf<'DELETE /push/{id}'>,
      options?: RequestOptions,
    ): Promise<ResponseOf<'DELETE /push/{id}'>> => call(core, 'DELETE /push/{id}', { ...on(id, options), query }),
    pause: (id: string, options?: RequestOptions): Promise<ResponseOf<'POST /push/{id}/pause'>> =>
      call(core, 'POST /push/{id}/pause', on(id, options)),
    resume: (id: string, options?: RequestOptions): Promise<ResponseOf<'POST /push/{id}/resume'>> =>
      call(core, 'POST /push/{id}/resume', on(id, options)),
    test: (id: string, options?: RequestOptions): Promise<ResponseOf<'POST /push/{id}/test'>> =>
      call(core, 'POST /push/{id}/test', on(id, options)),
    run: (id: string, options?: RequestOptions): Promise<ResponseOf<'POST /push/{id}/run'>> =>
      call(core, 'POST /push/{id}/run', on(id, options)),
    backfill: (id: string, options?: RequestOptions): Promise<ResponseOf<'POST /push/{id}/backfill'>> =>
      call(core, 'POST /push/{id}/backfill', on(id, options)),
    replay: (
      id: string,
      from: BodyOf<'POST /push/{id}/replay'> = {},
      options?: RequestOptions,
    ): Promise<ResponseOf<'POST /push/{id}/replay'>> =>
      call(core, 'POST /push/{id}/replay', { ...on(id, options), body: from }),
    /** Tries all dead letters again, or those of one profile. */
    redrive: (
      id: string,
      body: BodyOf<'POST /push/{id}/redrive'> = {},
      options?: RequestOptions,
    ): Promise<ResponseOf<'POST /push/{id}/redrive'>> =>
      call(core, 'POST /push/{id}/redrive', { ...on(id, options), body }),
    verify: (
      id: string,
      body: BodyOf<'POST /push/{id}/verify'> = {},
      options?: RequestOptions,
    ): Promise<ResponseOf<'POST /push/{id}/verify'>> =>
      call(core, 'POST /push/{id}/verify', { ...on(id, options), body }),
    rotateSecret: (id: string, options?: RequestOptions): Promise<ResponseOf<'POST /push/{id}/rotate-secret'>> =>
      call(core, 'POST /push/{id}/rotate-secret', on(id, options)),
    deliveries: (id: string, query?: QueryOf<'GET /push/{id}/deliveries'>, options?: RequestOptions): Paged<Delivery> =>
      pagedById(core, 'GET /push/{id}/deliveries', { ...on(id, options), query }, DELIVERIES_PER_PAGE),
    deadLetters: (
      id: string,
      query?: QueryOf<'GET /push/{id}/dead-letters'>,
      options?: RequestOptions,
    ): Promise<ResponseOf<'GET /push/{id}/dead-letters'>> =>
      call(core, 'GET /push/{id}/dead-letters', { ...on(id, options), query }),
    deadLetterReasons: (
      id: string,
      options?: RequestOptions,
    ): Promise<ResponseOf<'GET /push/{id}/dead-letters/reasons'>> =>
      call(core, 'GET /push/{id}/dead-letters/reasons', on(id, options)),
    history: (
      id: string,
      query?: QueryOf<'GET /push/{id}/history'>,
      options?: RequestOptions,
    ): Promise<ResponseOf<'GET /push/{id}/history'>> =>
      call(core, 'GET /push/{id}/history', { ...on(id, options), query }),
  }
}

/** Archives: destinations that write files, NDJSON or Parquet. All other methods of `push` work on them, too. */
export function createArchives(core: Core) {
  return {
    list: async (options?: RequestOptions): Promise<ResponseOf<'GET /push'>> =>
      (await call(core, 'GET /push', { options })).filter(({ kind }) => kind === 'files'),
    add: (
      { format, options: given, ...archive }: Omit<NewDestination, 'kind'> & { format?: 'ndjson' | 'parquet' },
      options?: RequestOptions,
    ): Promise<ResponseOf<'POST /push'>> => {
      const body: NewDestination = {
        ...archive,
        kind: 'files',
        options: { ...given, ...(format === undefined ? {} : { format }) },
      }
      return call(core, 'POST /push', { body, options })
    },
  }
}
