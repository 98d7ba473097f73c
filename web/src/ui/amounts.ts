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
  const [unit, size] = STEPS.find(([, each]) => ms >= each) ?? ['s', 1000]
  return `${Math.round(ms / size)} ${unit}`
}

const SIZES = ['B', 'KB', 'MB', 'GB', 'TB']
export function formatBytes(bytes: number): string {
  const power = Math.min(SIZES.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${SIZES[power]}`
}
