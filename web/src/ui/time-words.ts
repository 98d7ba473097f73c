const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
]

/** A time in words, seen from now: 3 minutes ago. */
export function timeWords(at: number, now: number): string {
  const away = at - now
  const [unit, ms] = STEPS.find(([, size]) => Math.abs(away) >= size) ?? ['second', 1000]
  return relative.format(Math.round(away / ms), unit)
}
