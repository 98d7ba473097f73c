import type { BaseType } from '#model/items/types.ts'
import type { Kind } from '../read/kind.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { ChildInput, Children, ParentContext } from './children.ts'
import type { Computed } from './computed-records.ts'
import { type BodyFormat, onePage, type PageRequest, type Pages, type ReadMethod } from './pages.ts'
import { type Price, type PriceInput, readPrice } from './price.ts'
import type { RequestBody } from './request-body.ts'

/** `core` always runs; `personal` is what the person made; `social` is what others made. An app may switch the last two off. */
export type EndpointClass = 'core' | 'personal' | 'social'

/**
 * How a run detects deleted items. `none`: not at all. `all`: every run lists everything, so an item that is missing was deleted;
 * with a checkpoint, only the runs of `wholeEvery` list everything.
 * `window`: the same, but only for items within the period that a complete walk covered.
 */
export type Deletes = 'none' | 'window' | 'all'

/** What a connector's author writes about an endpoint. */
export interface EndpointInput<Body, Raw, Parent = unknown> extends ChildInput<Raw, Parent> {
  /**
   * Relative to `api.baseUrl`; `{id}` and `{handle}` are replaced by those of the profile, `{fact.NAME}` by a fact, `{parent}` by
   * the id of the parent.
   */
  path: string
  /** Another origin of the service that accepts the same credential, one of `api.hosts`. */
  host?: string
  method?: ReadMethod
  query?: Record<string, string>
  headers?: Record<string, string>
  /**
   * The body of the first request. `{id}` and `{handle}` are replaced in it, and `{watermark}` by that of the checkpoint, or by
   * nothing. The parameters of the checkpoint become fields of a form or a JSON object.
   */
  body?: RequestBody
  /** The format of the responses. Default: `json`. */
  parse?: BodyFormat
  /**
   * Returns the records of one response. Return undefined when the list is missing (an error with status 200): then the page has
   * no records, and no item counts as deleted. An empty list means that there are none. `from` has the parents where the endpoint
   * has `each`.
   */
  items: (body: Body, from: ParentContext<Parent>) => Raw[] | null | undefined
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
  /** With a checkpoint: how often a run lists everything nevertheless, to find changed and deleted items: `7d`. */
  wholeEvery?: string
  class: EndpointClass
  /** Default: `none`. */
  deletes?: Deletes
  /** How many calls one call counts as in the service's limits. Default: 1. */
  weight?: number
  /** The group of endpoints that the service limits together. Default: what `api.group` says of the path. */
  group?: string
  /** What reading costs the app. A priced endpoint is off until the app switches it on, whatever its class. */
  price?: PriceInput
  /** Scopes that the service requires. Without them the endpoint is not called, which is not an error. */
  scope?: string[]
  /** Changes a request in a way that the other fields cannot express. */
  prepare?: Prepare
  /**
   * Returns another form of a request that the service refused with status 400, e.g. in its newer vocabulary; undefined if
   * there is none. The walk goes on with it.
   */
  alternative?: Alternative
}

type Alternative = (request: PageRequest) => PageRequest | undefined

type Prepare = (request: PageRequest, context: PrepareContext) => PageRequest

export interface PrepareContext {
  nowMs: number
  watermark: string | number | undefined
  /** The scopes that the person granted; undefined when the service does not say. */
  granted: readonly string[] | undefined
  /** For which parents, where the endpoint has `each`. */
  from?: ParentContext
}

/** One stream of records of a profile, with body and record types erased. */
export interface Endpoint {
  path: string
  host: string | undefined
  method: ReadMethod
  body: RequestBody | undefined
  parse: BodyFormat
  query: Record<string, string>
  headers: Record<string, string>
  items: (body: unknown, from?: ParentContext) => unknown[] | undefined
  /** For an endpoint with `each`. */
  children: Children | undefined
  /** Its records are computed from stored ones, without a call. */
  computed?: Computed | undefined
  kind: Kind<unknown>
  types: BaseType[]
  feed: boolean
  pages: Pages
  checkpoint: Checkpoint<unknown> | undefined
  everyMs: number
  wholeEveryMs: number | undefined
  class: EndpointClass
  deletes: Deletes
  price: Price | undefined
  scope: string[]
  weight: number
  group: string | undefined
  prepare: Prepare | undefined
  alternative?: Alternative | undefined
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
export function endpoint<Body, Raw, Parent = unknown>(input: EndpointInput<Body, Raw, Parent>): Endpoint {
  const { each, when, allEvery, version, where, batch, ...plain } = input
  return {
    method: 'GET',
    query: {},
    headers: {},
    feed: false,
    deletes: 'none',
    scope: [],
    parse: 'json',
    weight: 1,
    group: undefined,
    ...plain,
    host: input.host,
    body: input.body,
    prepare: input.prepare,
    price: input.price && readPrice(input.price),
    pages: input.pages ?? onePage(),
    // An endpoint without parents does not look at them.
    items: (body, from) => input.items(body as Body, from as ParentContext<Parent>) ?? undefined,
    children:
      each === undefined
        ? undefined
        : {
            each,
            when: when ?? 'always',
            allEveryMs: allEvery === undefined ? undefined : duration(allEvery),
            version: version as Children['version'],
            where: where as Children['where'],
            batch: batch as Children['batch'],
          },
    kind: input.kind as Kind<unknown>,
    checkpoint: input.checkpoint as Checkpoint<unknown> | undefined,
    everyMs: duration(input.every),
    wholeEveryMs: input.wholeEvery === undefined ? undefined : duration(input.wholeEvery),
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
