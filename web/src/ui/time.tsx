import { timeWords } from './time-words.ts'

const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** A time in words, with the date and time as its title. */
export function Time({ at }: { at: number | undefined }) {
  if (at === undefined) return <>never</>
  return (
    <time dateTime={new Date(at).toISOString()} title={full.format(at)}>
      {timeWords(at, Date.now())}
    </time>
  )
}
