import type { IncomingHttpHeaders } from 'node:http'
import type { Pair } from './pairs.ts'
import { pathMatcher } from './path-pattern.ts'
import type { LabRequest } from './request.ts'

const maxEntries = 5_000

export interface LoggedRequest {
  at: number
  method: string
  target: string
  path: string
  query: Pair[]
  headers: IncomingHttpHeaders
  rawHeaders: Pair[]
  body: string
  /** Set when the response is known. */
  status?: number
  fault?: string
}

export interface RequestLog {
  readonly all: readonly LoggedRequest[]
  to(path: string | RegExp, method?: string): LoggedRequest[]
  /** Counts all requests since the start or the last clear, including those no longer stored. */
  count(path: string | RegExp, method?: string): number
  counters(): Record<string, number>
  clear(): void
  add(request: LabRequest, at: number): LoggedRequest
}

export function createRequestLog(): RequestLog {
  const entries: LoggedRequest[] = []
  const counts = new Map<string, number>()
  const matches = (path: string | RegExp, method?: string) => {
    const matches = pathMatcher(path)
    return (entry: { path: string; method: string }) =>
      matches(entry.path) && (method === undefined || entry.method === method)
  }
  return {
    all: entries,
    to: (path, method) => entries.filter(matches(path, method)),
    count(path, method) {
      const test = matches(path, method)
      let total = 0
      for (const [key, count] of counts) {
        const [entryMethod = '', entryPath = ''] = key.split(' ')
        if (test({ method: entryMethod, path: entryPath })) total += count
      }
      return total
    },
    counters: () => Object.fromEntries(counts),
    clear() {
      entries.length = 0
      counts.clear()
    },
    add(request, at) {
      const { body, ...rest } = request
      const entry: LoggedRequest = { at, ...rest, body: body.toString() }
      entries.push(entry)
      if (entries.length > maxEntries) entries.shift()
      const key = `${request.method} ${request.path}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
      return entry
    },
  }
}
