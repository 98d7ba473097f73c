import type { Horizon } from '../ical/series.ts'

/** How the records of an endpoint are computed from the stored ones of another endpoint, without a call. */
export interface Computed {
  /** The other endpoint. When its items change, this one is due. */
  from: string
  /** Texts of which a stored record has one, if anything is computed from it. The database looks for them. */
  marks: string[]
  /** A text that those records contain that belong to this one: they are passed on as `related`. */
  relatedBy?: ((record: unknown) => string | undefined) | undefined
  compute: (record: unknown, related: unknown[], horizon: Horizon) => unknown[]
}
