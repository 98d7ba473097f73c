/** How far the last run of an endpoint got. Stored as JSON between two runs. */
export type Watermark = string | number

/**
 * Makes an endpoint incremental: derives a watermark from what a run read, and lets the next run continue there. Choose one of
 * `since`, `sinceId`, `untilKnown` and `token`; without a checkpoint every run reads everything.
 */
export interface Checkpoint<Raw> {
  /** Returns the watermark after a page, given the one before it. */
  advance: (page: { items: Raw[]; body: unknown }, before: Watermark | undefined) => Watermark | undefined
  /** Returns the parameters of a run that continues from a watermark. */
  query: (watermark: Watermark) => Record<string, string>
  /** Pages come oldest first, so each page may store its watermark; otherwise it is stored when the walk has ended. */
  oldestFirst: boolean
  /** For pages that come newest first: the walk ends at the first page whose records are all known. */
  isKnown?: (raw: Raw, watermark: Watermark) => boolean
  /** The service may give no value to continue from: the next run then reads everything. */
  isOptional?: boolean
}

/**
 * For a service with a parameter for a time or number that returns what is newer. `overlap` is subtracted from the watermark:
 * services index late, and reading an item twice does no harm.
 *
 *     checkpoint: since<Photo>({ param: 'min_taken', value: (photo) => photo.taken_s, overlap: 3600 })
 */
export function since<Raw>(options: {
  param: string
  value: (raw: Raw) => number | undefined
  overlap?: number
  oldestFirst?: boolean
  format?: (watermark: number) => string
}): Checkpoint<Raw> {
  const format = options.format ?? String
  return {
    advance: ({ items }, before) => greatest(items.map(options.value), before as number | undefined),
    query: (watermark) => ({ [options.param]: format(Number(watermark) - (options.overlap ?? 0)) }),
    oldestFirst: options.oldestFirst ?? false,
  }
}

/** For a service with a parameter for the newest id seen (`since_id`). Ids are compared as integers of any length. */
export function sinceId<Raw>(options: {
  param: string
  id: (raw: Raw) => string
  oldestFirst?: boolean
}): Checkpoint<Raw> {
  return {
    advance: ({ items }, before) =>
      items
        .map(options.id)
        .reduce<string | undefined>(
          (newest, id) => (newest === undefined || isLater(id, newest) ? id : newest),
          before as string | undefined,
        ),
    query: (watermark) => ({ [options.param]: String(watermark) }),
    oldestFirst: options.oldestFirst ?? false,
  }
}

/**
 * For a service without such a parameter that lists the newest records first: the walk ends at the first page whose records are
 * all older than the watermark, less `overlap`.
 */
export function untilKnown<Raw>(options: {
  value: (raw: Raw) => number | undefined
  overlap?: number
}): Checkpoint<Raw> {
  return {
    advance: ({ items }, before) => greatest(items.map(options.value), before as number | undefined),
    query: () => ({}),
    oldestFirst: false,
    isKnown: (raw, watermark) => {
      const value = options.value(raw)
      return value !== undefined && value < Number(watermark) - (options.overlap ?? 0)
    },
  }
}

/** For a service whose response contains the value to continue from (sync tokens, delta links). */
export function token<Body>(options: {
  /** Left out where the request has `{watermark}` in its body. */
  param?: string
  from: (body: Body) => string | undefined
  isOptional?: boolean
}): Checkpoint<unknown> {
  const { param, from, isOptional = false } = options
  return {
    advance: ({ body }, before) => from(body as Body) ?? before,
    query: (watermark) => (param === undefined ? {} : { [param]: String(watermark) }),
    oldestFirst: false,
    isOptional,
  }
}

function greatest(values: (number | undefined)[], before: number | undefined): number | undefined {
  return values.reduce(
    (maximum, value) => (value !== undefined && (maximum === undefined || value > maximum) ? value : maximum),
    before,
  )
}

function isLater(a: string, b: string): boolean {
  if (/^\d+$/.test(a) && /^\d+$/.test(b)) return BigInt(a) > BigInt(b)
  return a > b
}
