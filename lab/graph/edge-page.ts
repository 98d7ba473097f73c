import { wrongParameter } from './graph-error.ts'
import type { Args, EdgeEntry, GraphEdge } from './node.ts'

const defaultLimit = 25
const maxLimit = 100

export interface EdgePage {
  entries: readonly EdgeEntry[]
  cursors?: { before: string; after: string }
  /** Parameters of the next page; absent on the last page. */
  next?: Record<string, string>
  previous?: Record<string, string>
}

export function cutPage(edge: GraphEdge, args: Args): EdgePage {
  const limit = readLimit(args['limit'])
  return edge.paging === 'cursor' ? cursorPage(edge.entries, args, limit) : timePage(edge.entries, args, limit)
}

function cursorPage(all: readonly EdgeEntry[], args: Args, limit: number): EdgePage {
  const entries = within(all, args)
  const before = args['before']
  const end = before === undefined ? undefined : indexOf(entries, before)
  const start =
    end === undefined
      ? args['after'] === undefined
        ? 0
        : indexOf(entries, args['after']) + 1
      : Math.max(0, end - limit)
  const slice = entries.slice(start, end ?? start + limit)
  const [first, last] = [slice[0], slice.at(-1)]
  if (!first || !last) return { entries: [] }
  return {
    entries: slice,
    cursors: { before: encode(first.key), after: encode(last.key) },
    ...(start + slice.length < entries.length ? { next: { limit: String(limit), after: encode(last.key) } } : {}),
    ...(start > 0 ? { previous: { limit: String(limit), before: encode(first.key) } } : {}),
  }
}

/** The last page is always empty and has no links. A short page is not the last one. */
function timePage(all: readonly EdgeEntry[], args: Args, limit: number): EdgePage {
  const token = args['__paging_token']
  const backwards = args['__previous'] === '1'
  const at = token === undefined ? -1 : indexOf(all, token.replace(/^enc_/, ''))
  const { until: _until, ...sinceAlone } = args
  const rest =
    token === undefined ? within(all, args) : backwards ? all.slice(0, at) : within(all.slice(at + 1), sinceAlone)
  const slice = backwards ? rest.slice(-limit) : rest.slice(0, limit)
  const [first, last] = [slice[0], slice.at(-1)]
  if (!first || !last) return { entries: [] }
  const link = (entry: EdgeEntry) => ({ limit: String(limit), __paging_token: `enc_${encode(entry.key)}` })
  const since = backwards || args['since'] === undefined ? {} : { since: args['since'] }
  return {
    entries: slice,
    previous: { ...link(first), since: seconds(first), __previous: '1' },
    next: { ...link(last), ...since, until: seconds(last) },
  }
}

const seconds = (entry: EdgeEntry): string => String(Math.floor(entry.atMs / 1000))

function within(entries: readonly EdgeEntry[], args: Args): readonly EdgeEntry[] {
  const sinceMs = readTime('since', args['since'])
  const untilMs = readTime('until', args['until'])
  if (sinceMs === undefined && untilMs === undefined) return entries
  return entries.filter(({ atMs }) => atMs >= (sinceMs ?? 0) && atMs <= (untilMs ?? Number.POSITIVE_INFINITY))
}

const encode = (key: string): string => Buffer.from(key).toString('base64url')

/** A cursor becomes invalid when its item is deleted. */
function indexOf(entries: readonly EdgeEntry[], cursor: string): number {
  const key = Buffer.from(cursor, 'base64url').toString()
  const at = entries.findIndex((entry) => entry.key === key)
  if (at < 0) throw wrongParameter('Invalid parameter: the cursor is not valid any more')
  return at
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return defaultLimit
  if (!/^\d+$/.test(text) || Number(text) === 0) throw wrongParameter('param limit must be a positive integer')
  return Math.min(maxLimit, Number(text))
}

function readTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text)
  if (Number.isNaN(ms)) throw wrongParameter(`param ${name} must be a valid time`)
  return ms
}
