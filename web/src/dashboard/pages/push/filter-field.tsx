import { Field } from '../../../ui/field.tsx'

/** The paths of a filter, one on each line. */
export const filterIn = (text: string): string[] => {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines.length === 0 ? ['*'] : lines
}

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
