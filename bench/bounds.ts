import type { Operation } from './compare/operations.ts'

/**
 * What each operation cost in processor time when it was measured last, compared with its bare rival in the same run: as a share of the
 * rival (rival ÷ ours, more is better) or as a multiple of it. `npm run bench -- --bounds` fails when it costs more than this and a
 * margin. A change that makes something cheaper raises its value here.
 */
export type Measured = { share: number } | { multiple: number }

export const MEASURED: Record<Operation, Measured> = {
  'read type': { share: 0.57 },
  'read map': { share: 0.36 },
  'read dedup': { share: 0.32 },
  'read cold': { share: 0.35 },
  'proxy down': { share: 0.36 },
  'proxy up': { share: 0.13 },
  'proxy cold': { share: 0.06 },
  'sync first': { share: 0.16 },
  'sync unchanged': { share: 0.65 },
  loading: { multiple: 45 },
}

const MARGIN = 0.1
const MARGIN_OF_MULTIPLES = 1 / 3

/** 0.1 below the share. Of a small one it is a third, as 0.1 is of 0.3; of one above 1 a tenth. */
export function leastOf(share: number): number {
  return share - Math.max(MARGIN * share, Math.min(MARGIN, share / 3))
}

export function mostOf(multiple: number): number {
  return multiple * (1 + MARGIN_OF_MULTIPLES)
}
