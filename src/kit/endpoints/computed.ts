import type { Horizon } from '../ical/series.ts'
import type { Kind } from '../read/kind.ts'
import type { Computed } from './computed-records.ts'
import { type Endpoint, type EndpointInput, endpoint } from './endpoint.ts'
import { cursorPages } from './pages.ts'

/** What a connector's author writes about such an endpoint. */
export interface ComputedEndpoint<Source = unknown, Raw = unknown>
  extends Pick<EndpointInput<unknown, Raw>, 'types' | 'class' | 'scope'> {
  from: string
  marks: string[]
  relatedBy?: (record: Source) => string | undefined
  /** Returns the records of one stored record, within the horizon. It may throw: then that record has none. */
  compute: (record: Source, related: Source[], horizon: Horizon) => Raw[]
  kind: Kind<Raw>
}

/** A page of computed records. */
export interface ComputedPage {
  records: unknown[]
  next?: string | undefined
}

/**
 * Defines an endpoint whose records are computed from stored ones, such as the occurrences of repeated events. It is computed as a
 * whole: after the other endpoint changed, and each day, because the horizon moves.
 */
export function computedEndpoint<Source, Raw>(input: ComputedEndpoint<Source, Raw>): Endpoint {
  const { from, marks, relatedBy, compute, kind, types, scope } = input
  return {
    ...endpoint<ComputedPage, Raw>({
      path: '/',
      items: ({ records }) => records as Raw[],
      kind,
      types,
      pages: cursorPages({ param: 'after', from: ({ next }: ComputedPage) => next }),
      // The horizon of a walk is that of its beginning.
      prepare: (request, { nowMs }) => ({ ...request, query: { ...request.query, now: String(nowMs) } }),
      every: '1d',
      class: input.class,
      deletes: 'all',
      ...(scope === undefined ? {} : { scope }),
    }),
    computed: {
      from,
      marks,
      relatedBy: relatedBy as Computed['relatedBy'],
      compute: compute as Computed['compute'],
    },
  }
}
