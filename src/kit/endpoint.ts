import type { BaseType } from '#model/types.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { Kind } from './kind.ts'
import { onePage, type PageRequest, type Pages } from './pages.ts'

/** `core` always runs; `personal` is what the person made; `social` is what others made. An app may switch the last two off. */
export type EndpointClass = 'core' | 'personal' | 'social'

/**
 * How a run detects deleted items. `none`: not at all. `all`: every run lists everything, so an item that is missing was deleted.
 * `window`: the same, but only for items within the period that a complete walk covered.
 */
export type Deletes = 'none' | 'window' | 'all'

/** What a connector's author writes about an endpoint. */
export interface EndpointInput<Body, Raw> {
  /** Relative to `api.baseUrl`; `{id}` and `{handle}` are replaced by those of the profile. */
  path: string
  method?: 'GET' | 'POST'
  query?: Record<string, string>
  headers?: Record<string, string>
  /**
   * Returns the records of one response. Return undefined when the list is missing (an error with status 200): then the page has
   * no records, and no item counts as deleted. An empty list means that there are none.
   */
  items: (body: Body) => Raw[] | null | undefined
  kind: Kind<Raw>
  /** The types of its records, unless the kind has `types`. */
  types: BaseType[]
  /** The records were made by others: they are stored under the `_feed` types. */
  feed?: boolean
  /** How to reach the next page. Default: everything comes in one response. */
  pages?: Pages
  /** How the next run continues. Default: every run reads everything. */
  checkpoint?: Checkpoint<Raw>
  /** The first interval: `15m`, `6h`, `1d`. Runs that find changes shorten it, runs that find none lengthen it. */
  every: string
  class: EndpointClass
  /** Default: `none`. */
  deletes?: Deletes
  /** Scopes that the service requires. Without them the endpoint is not called, which is not an error. */
  scope?: string[]
  /** Changes a request in a way that the other fields cannot express. */
  prepare?: Prepare
}

type Prepare = (request: PageRequest, context: PrepareContext) => PageRequest

export interface PrepareContext {
  nowMs: number
  watermark: string | number | undefined
  /** The scopes that the person granted; undefined when the service does not say. */
  granted: readonly string[] | undefined
}

/** One stream of records of a profile, with body and record types erased. */
export interface Endpoint {
  path: string
  method: 'GET' | 'POST'
  query: Record<string, string>
  headers: Record<string, string>
  items: (body: unknown) => unknown[] | undefined
  kind: Kind<unknown>
  types: BaseType[]
  feed: boolean
  pages: Pages
  checkpoint: Checkpoint<unknown> | undefined
  everyMs: number
  class: EndpointClass
  deletes: Deletes
  scope: string[]
  prepare: Prepare | undefined
  /** Set by `defineConnector` where people name their server: ids in records are those of that server. */
  idsOnServer?: boolean
}

/**
 * Defines an endpoint and fills in the defaults. The type parameters connect response, records and kind, so that a kind for other
 * records is a compile error.
 *
 *     const photos = endpoint({
 *       path: '/users/{id}/photos',
 *       items: (body: { photos?: Photo[] }) => body.photos,
 *       kind: photo,
 *       types: ['photos'],
 *       pages: cursorPages({ param: 'after', from: (body: { next?: string }) => body.next }),
 *       every: '1h',
 *       class: 'personal',
 *     })
 */
export function endpoint<Body, Raw>(input: EndpointInput<Body, Raw>): Endpoint {
  return {
    method: 'GET',
    query: {},
    headers: {},
    feed: false,
    deletes: 'none',
    scope: [],
    ...input,
    prepare: input.prepare,
    pages: input.pages ?? onePage(),
    items: (body) => input.items(body as Body) ?? undefined,
    kind: input.kind as Kind<unknown>,
    checkpoint: input.checkpoint as Checkpoint<unknown> | undefined,
    everyMs: duration(input.every),
  }
}

const UNITS = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

/** Parses `15m`, `6h` or `1d` into milliseconds; throws `RangeError` on anything else. */
export function duration(text: string): number {
  const [, number, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? []
  const unitMs = UNITS.get(unit)
  if (unitMs === undefined) throw new RangeError(`“${text}” is not a duration such as 15m, 6h or 1d`)
  return Number(number) * unitMs
}
