import { pathMatcher } from './path-pattern.ts'
import type { LabRequest } from './request.ts'

/** The kinds of faults. Delays use real time, not the lab's clock. */
export type FaultKind =
  | { kind: 'status'; status: number; retryAfterSeconds?: number; retryAfterForm?: 'seconds' | 'date'; body?: string }
  | { kind: 'delay'; delayMs: number }
  | { kind: 'hang' }
  | { kind: 'reset' }
  | { kind: 'half-open' }
  | { kind: 'truncated'; how?: 'short-body' | 'dropped' }
  | { kind: 'slow'; bytesPerChunk?: number; everyMs?: number }
  | { kind: 'html' }
  | { kind: 'gzip-bomb'; bytes?: number }
  | { kind: 'deep-json'; depth?: number }
  | { kind: 'response'; status?: number; headers?: Record<string, string>; body: string }

export type Fault = FaultKind & {
  path: string | RegExp
  method?: string
  /** Number of requests to affect; 0 means until cleared. Default 1. */
  times?: number
  /** Number of matching requests to let pass first. */
  after?: number
}

export interface FaultList {
  add(fault: Fault): void
  clear(): void
  pending(): Fault[]
  take(request: LabRequest): Fault | undefined
}

export const faultKinds: readonly FaultKind['kind'][] = [
  'status',
  'delay',
  'hang',
  'reset',
  'half-open',
  'truncated',
  'slow',
  'html',
  'gzip-bomb',
  'deep-json',
  'response',
]

export function createFaultList(): FaultList {
  let entries: { fault: Fault; matches: (path: string) => boolean; skip: number; left: number }[] = []
  return {
    add(fault) {
      const times = fault.times ?? 1
      entries.push({
        fault,
        matches: pathMatcher(fault.path),
        skip: fault.after ?? 0,
        left: times === 0 ? Number.POSITIVE_INFINITY : times,
      })
    },
    clear() {
      entries = []
    },
    pending: () => entries.map((entry) => entry.fault),
    take(request) {
      for (const entry of entries) {
        if (!entry.matches(request.path)) continue
        if (entry.fault.method !== undefined && entry.fault.method !== request.method) continue
        if (entry.skip > 0) {
          entry.skip -= 1
          continue
        }
        entry.left -= 1
        if (entry.left <= 0) entries = entries.filter((other) => other !== entry)
        return entry.fault
      }
      return undefined
    },
  }
}
