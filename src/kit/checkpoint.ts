/** What is kept between two runs: how far the last one got. JSON, so that it can be stored. */
export type Watermark = string | number

export interface Checkpoint<Raw> {
  /** The mark after a page, given the one before it. */
  advance: (page: { items: Raw[]; body: unknown }, before: Watermark | undefined) => Watermark | undefined
  /** What a run that starts from a mark asks for. */
  query: (watermark: Watermark) => Record<string, string>
  /** Pages come oldest first, so the mark may move with each page; otherwise only when the walk has ended. */
  oldestFirst: boolean
  /** A walk that comes newest first ends at the first page that holds nothing but known records. */
  isKnown?: (raw: Raw, watermark: Watermark) => boolean
}

/** The service takes a time or number and gives what is newer. `overlap` asks a little further back: indexes lag, and seeing an item twice is free. */
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

/** The service takes the newest id seen (`since_id`). Ids are compared as numbers of any length. */
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
          (most, id) => (most === undefined || isLater(id, most) ? id : most),
          before as string | undefined,
        ),
    query: (watermark) => ({ [options.param]: String(watermark) }),
    oldestFirst: options.oldestFirst ?? false,
  }
}

/** The service takes nothing: walk newest first until a whole page is known. */
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

/** The answer itself says where the next run begins (sync tokens, delta links). */
export function token<Body>(options: { param: string; from: (body: Body) => string | undefined }): Checkpoint<unknown> {
  return {
    advance: ({ body }, before) => options.from(body as Body) ?? before,
    query: (watermark) => ({ [options.param]: String(watermark) }),
    oldestFirst: false,
  }
}

function greatest(values: (number | undefined)[], before: number | undefined): number | undefined {
  return values.reduce(
    (most, value) => (value !== undefined && (most === undefined || value > most) ? value : most),
    before,
  )
}

function isLater(a: string, b: string): boolean {
  if (/^\d+$/.test(a) && /^\d+$/.test(b)) return BigInt(a) > BigInt(b)
  return a > b
}
