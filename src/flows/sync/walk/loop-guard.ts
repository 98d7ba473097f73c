import { hash } from 'node:crypto'
import type { PageRequest } from '#kit/endpoints/pages.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import type { Walk } from './walk.ts'

/** Limit: pages of one listing; a service with more is taken to repeat itself, and the walk fails. */
const MAX_PAGES = 100_000
/** Limit: empty pages in a row; filters cause some, calendars many. With more, the walk fails. */
const MAX_EMPTY_PAGES = 1000
/**
 * Limit: repeated pages of one walk: one may come twice when a list shifts, the same few under ever new cursors are a
 * loop. With more, the walk fails.
 */
const MAX_REPEATED_PAGES = 20

export interface LoopGuard {
  /** Throws when a walk requests the same page twice: a cursor that does not advance would never end. */
  checkRequest(request: PageRequest, walk: Walk): void
  /** Counts pages without new ids; throws when there are too many. */
  countPage(ids: string[], walk: Walk): Pick<Walk, 'empty' | 'repeated'>
}

export function createLoopGuard(): LoopGuard {
  const requests = new Set<string>()
  const pages = new Set<string>()
  return {
    checkRequest: (request, walk) => {
      const print = fingerprint(requestName(request))
      if (requests.has(print) || walk.pages > MAX_PAGES) throw loopDetected()
      requests.add(print)
    },
    countPage: (ids, walk) => {
      const print = fingerprint(ids.join())
      const counts = {
        empty: ids.length === 0 ? walk.empty + 1 : 0,
        repeated: ids.length > 0 && pages.has(print) ? walk.repeated + 1 : walk.repeated,
      }
      if (counts.empty > MAX_EMPTY_PAGES || counts.repeated > MAX_REPEATED_PAGES) throw loopDetected()
      pages.add(print)
      return counts
    },
  }
}

/** Equal for equal requests, regardless of the order of their parameters. */
export function requestName(request: PageRequest): string {
  const query = Object.entries(request.query).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([request.method, request.path, query, request.body])
}

export function fingerprint(text: string): string {
  return hash('sha1', text, 'base64url').slice(0, 16)
}

function loopDetected(): UpstreamError {
  return new UpstreamError('stop', 'The pages of the service form a loop or never end.', { reason: 'walk_repeats' })
}
