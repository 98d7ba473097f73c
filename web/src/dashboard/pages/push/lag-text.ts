const SECOND = 1000
const MINUTE = 60_000
const HOUR = 3_600_000

/** A lag in words; changes of the last second count as none. */
export function lagText(ms: number): string {
  if (ms < SECOND) return 'none'
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`
  return ms < HOUR ? `${Math.round(ms / MINUTE)} min` : `${(ms / HOUR).toFixed(1)} h`
}
