import type { BaseType } from '#model/types.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { Kind } from './kind.ts'
import { onePage, type PageRequest, type Pages } from './pages.ts'

/** `core` always runs; `personal` is what the person made; `social` what others made. An app may switch the last two off. */
export type EndpointClass = 'core' | 'personal' | 'social'

/** How a run learns what is gone. `window`: what a whole walk should have shown again but did not; `all`: the same, when every run lists everything. */
export type Deletes = 'none' | 'window' | 'all'

export interface EndpointInput<Body, Raw> {
  /** Below the API address; `{id}` and `{handle}` stand for the profile's own. */
  path: string
  method?: 'GET' | 'POST'
  query?: Record<string, string>
  headers?: Record<string, string>
  /** The records of one answer. An answer without its list (an error that says 200) has none, and proves of nothing that it is gone. */
  items: (body: Body) => Raw[] | null | undefined
  kind: Kind<Raw>
  /** What its records are, unless the kind decides by the record. */
  types: BaseType[]
  /** Made by others: stored under the `_feed` names. */
  feed?: boolean
  pages?: Pages
  checkpoint?: Checkpoint<Raw>
  /** `15m`, `6h`, `1d`: how often at first; news makes it shorter, silence longer. */
  every: string
  class: EndpointClass
  deletes?: Deletes
  /** Scopes without which the service would refuse: such an endpoint waits instead of failing. */
  scope?: string[]
  /** A change of the request that the other knobs cannot say. */
  prepare?: (request: PageRequest, context: { nowMs: number; watermark: string | number | undefined }) => PageRequest
}

/** One stream of records of a profile, with the types of body and record worn inside. */
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
  prepare:
    | ((request: PageRequest, context: { nowMs: number; watermark: string | number | undefined }) => PageRequest)
    | undefined
}

/** Ties the answer's type to the records' and the records' to the kind's: a wrong kind is a compile error. */
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

/** `15m` as milliseconds. */
export function duration(text: string): number {
  const [, number, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? []
  const unitMs = UNITS.get(unit)
  if (unitMs === undefined) throw new RangeError(`“${text}” is no time such as 15m, 6h or 1d`)
  return Number(number) * unitMs
}
