import { leastOf, type Measured, mostOf } from '../bounds.ts'
import type { Operation } from './operations.ts'
import { ratiosOf, spreadOf } from './ratios.ts'
import type { Times } from './rounds.ts'

/** The bare programs, by the first word of the operation. */
const RIVAL_OF: Record<string, string> = {
  read: 'a bare handler',
  proxy: 'a pass-through',
  sync: 'bare inserts',
  loading: 'an empty Node',
}

export interface Checked {
  line: string
  isKept: boolean
}

/** `first` are the times of the server, `second` those of its rival. */
export function checkBound(operation: Operation, { first, second }: Times, measured: Measured): Checked {
  const isShare = 'share' in measured
  const { rounds, median, lower, upper } = spreadOf(isShare ? ratiosOf(second, first) : ratiosOf(first, second))
  const bound = isShare ? leastOf(measured.share) : mostOf(measured.multiple)
  const isKept = isShare ? median >= bound : median <= bound
  const rival = RIVAL_OF[operation.split(' ')[0]!]
  const found = `${median.toFixed(2)} ${isShare ? 'of' : 'times'} ${rival} (${lower.toFixed(2)} to ${upper.toFixed(2)})`
  const asked = `${isShare ? 'at least' : 'at most'} ${bound.toFixed(2)}`
  const line = `${operation.padEnd(16)} ${found.padEnd(44)} ${asked.padEnd(15)} ${isKept ? 'kept' : 'MISSED'}; ${rounds} rounds`
  return { line, isKept }
}
