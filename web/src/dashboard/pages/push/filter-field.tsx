import { Field } from '../../../ui/field.tsx'

export function FilterField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <Field
      label="Filter"
      hint="API paths with their parameters, one on each line: /types/photos?q=cat. * for everything."
    >
      <textarea rows={2} value={value} onChange={({ target }) => onChange(target.value)} />
    </Field>
  )
}
