import { redactText } from './redact.ts'

/** How often one message was logged. Messages are constants; details are fields. */
export interface LogCount {
  level: 'warn' | 'error'
  message: string
  count: number
}

export interface LogCounts {
  add(level: LogCount['level'], message: string): void
  all(): LogCount[]
}

/** Limit: messages that are counted separately; further ones are counted together as `other`. */
const MAX_COUNTED_MESSAGES = 500

export function createLogCounts(): LogCounts {
  const counts = new Map<string, LogCount>()
  return {
    add: (level, text) => {
      const known = `${level} ${redactText(text)}`
      const message = counts.has(known) || counts.size < MAX_COUNTED_MESSAGES ? redactText(text) : 'other'
      const key = `${level} ${message}`
      const entry = counts.get(key) ?? { level, message, count: 0 }
      entry.count += 1
      counts.set(key, entry)
    },
    all: () => [...counts.values()],
  }
}

/** Sums the counts of several processes. */
export function sumLogCounts(reports: LogCount[][]): LogCount[] {
  const sums = new Map<string, LogCount>()
  for (const { level, message, count } of reports.flat()) {
    const key = `${level} ${message}`
    const sum = sums.get(key) ?? { level, message, count: 0 }
    sum.count += count
    sums.set(key, sum)
  }
  return [...sums.values()]
}
