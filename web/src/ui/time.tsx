const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
]

/** A time in words, with the date and time as its title. */
export function Time({ at }: { at: number | undefined }) {
  if (at === undefined) return <>never</>
  const away = at - Date.now()
  const [unit, ms] = STEPS.find(([, size]) => Math.abs(away) >= size) ?? ['second', 1000]
  return (
    <time dateTime={new Date(at).toISOString()} title={full.format(at)}>
      {relative.format(Math.round(away / ms), unit)}
    </time>
  )
}
