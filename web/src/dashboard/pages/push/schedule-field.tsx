import { Field } from '../../../ui/field.tsx'

const COMMON = ['on_change', 'every 15m', 'every 1h', '0 3 * * *', 'manual']

/** When changes are delivered: a common schedule, or any other as text. */
export function ScheduleField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <Field label="Schedule" hint="on_change, every 15m, a cron line with a time zone, or manual.">
      <input list="push-schedules" value={value} onChange={({ target }) => onChange(target.value)} />
    </Field>
  )
}

/** The choices of every schedule field of a page. */
export function ScheduleChoices() {
  return (
    <datalist id="push-schedules">
      {COMMON.map((each) => (
        <option key={each} value={each} />
      ))}
    </datalist>
  )
}
