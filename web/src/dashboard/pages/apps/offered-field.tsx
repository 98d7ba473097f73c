import { CheckField } from '../../../ui/check-field.tsx'
import { Field } from '../../../ui/field.tsx'

/** Which services people of the app may connect: all, or those that are listed. */
export function OfferedField({
  names,
  onChange,
}: {
  /** One on each line; undefined: all. */
  names: string | undefined
  onChange: (names: string | undefined) => void
}) {
  return (
    <>
      <CheckField
        label="Only certain services"
        hint="People may connect only these; sign-ins at others are refused. What is connected stays connected."
        checked={names !== undefined}
        onChange={(isOn) => onChange(isOn ? '' : undefined)}
      />
      {names !== undefined && (
        <Field
          label="Services that people may connect"
          hint="Names, one on each line, as the page Services lists them."
        >
          <textarea rows={4} value={names} onChange={({ target }) => onChange(target.value)} />
        </Field>
      )}
    </>
  )
}
