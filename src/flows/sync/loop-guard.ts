import { hash } from 'node:crypto'
import type { PageRequest } from '#kit/pages.ts'
import { UpstreamError } from '#upstream/errors.ts'
import type { Walk } from './walk.ts'

/** Limit: pages of one listing; a service whose pages never end is failing, not rich, and the walk ends. */
const MAX_PAGES = 100_000
/** Limit: empty pages in a row; filters make some, calendars many. Then the walk ends. */
const MAX_EMPTY_PAGES = 1000
/**
 * Limit: pages that were there before: one may come twice when a list moves, the same few under ever new cursors are a
 * circle. Then the walk ends.
 */
const MAX_REPEATED_PAGES = 20

export interface LoopGuard {
  /** Refuses to ask the same thing twice in one walk: a cursor that does not move would go on for ever. */
  ask(request: PageRequest, walk: Walk): void
  /** Counts what brings nothing new; refuses when it goes on. */
  show(ids: string[], walk: Walk): Pick<Walk, 'empty' | 'repeated'>
}

export function createLoopGuard(): LoopGuard {
  const asked = new Set<string>()
  const shown = new Set<string>()
  return {
    ask: (request, { pages }) => {
      const name = fingerprint(requestName(request))
      if (asked.has(name) || pages > MAX_PAGES) throw circle()
      asked.add(name)
    },
    show: (ids, walk) => {
      const name = fingerprint(ids.join())
      const counts = {
        empty: ids.length === 0 ? walk.empty + 1 : 0,
        repeated: ids.length > 0 && shown.has(name) ? walk.repeated + 1 : walk.repeated,
      }
      if (counts.empty > MAX_EMPTY_PAGES || counts.repeated > MAX_REPEATED_PAGES) throw circle()
      shown.add(name)
      return counts
    },
  }
}

/** What makes two requests the same, whatever the order of their parameters. */
export function requestName(request: PageRequest): string {
  const query = Object.entries(request.query).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([request.method, request.path, query, request.body])
}

export function fingerprint(text: string): string {
  return hash('sha1', text, 'base64url').slice(0, 16)
}

function circle(): UpstreamError {
  return new UpstreamError(
    'stop',
    'The service leads in circles: its pages name each other as the next, or never end.',
    {
      reason: 'walk_repeats',
    },
  )
}
