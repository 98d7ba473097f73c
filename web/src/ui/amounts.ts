const whole = new Intl.NumberFormat('en')
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0 })

export const formatCount = (n: number): string => whole.format(n)
/** For tiles: 12.3K. */
export const formatShort = (n: number): string => (n < 10_000 ? whole.format(n) : short.format(n))
export const formatShare = (share: number): string => percent.format(share)

const STEPS: [string, number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
]

/** A length of time in its largest unit: 3 min. */
export function formatDuration(ms: number): string {
  // 59.9 s are rounded to a minute, not to 60 s.
  const [unit, size] = STEPS.find(([, each], i) => ms >= each - (STEPS[i + 1]?.[1] ?? 0) / 2) ?? ['s', 1000]
  return `${Math.round(ms / size)} ${unit}`
}

const SIZES = ['B', 'KB', 'MB', 'GB', 'TB']
export function formatBytes(bytes: number): string {
  const isTooLong = (power: number) =>
    power < SIZES.length - 1 && bytes / 1000 ** power >= (power === 0 ? 1000 : 999.95)
  let power = 0
  while (isTooLong(power)) power += 1
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${SIZES[power]}`
}
