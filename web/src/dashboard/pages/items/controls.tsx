import { useState } from 'react'
import { CheckField } from '../../../ui/check-field.tsx'
import { Field } from '../../../ui/field.tsx'
import { useTyped } from '../../../ui/use-typed.ts'
import type { Texts } from '../../search.ts'
import { localTime, msOf } from './local-time.ts'
import type { Parameter } from './parameters.ts'

/** What most people look for; the path comes before. */
const FIRST = ['q', 'since', 'until', 'limit']

/** One control for each parameter: the path and the usual ones first, the others below “More”. What is entered goes to the address. */
export function Controls({
  path,
  query,
  address,
  onChange,
}: {
  path: Parameter[]
  query: Parameter[]
  address: Texts
  onChange: (changes: Texts) => void
}) {
  const first = FIRST.flatMap((name) => query.filter((each) => each.name === name))
  const others = query.filter(({ name }) => !FIRST.includes(name))
  const [isOpen] = useState(() => others.some(({ name }) => address[name] !== undefined))
  const control = (parameter: Parameter) => (
    <Control
      key={parameter.name}
      parameter={parameter}
      value={address[parameter.name] ?? ''}
      onChange={(value) => onChange({ [parameter.name]: value })}
    />
  )
  return (
    <>
      {[...path, ...first].map(control)}
      {others.length > 0 && (
        <details open={isOpen}>
          <summary>More parameters</summary>
          <div className="stack items-more">{others.map(control)}</div>
        </details>
      )}
    </>
  )
}

function Control({
  parameter: { name, description, control, choices, fallback },
  value,
  onChange,
}: {
  parameter: Parameter
  value: string
  onChange: (value: string | undefined) => void
}) {
  const hint = plain(description)
  if (control === 'flag')
    return (
      <CheckField
        label={name}
        hint={hint}
        checked={value === 'true'}
        onChange={(on) => onChange(on ? 'true' : undefined)}
      />
    )
  if (control === 'choice')
    return (
      <Field label={name} hint={hint}>
        <select
          value={value === '' ? (fallback ?? choices[0]) : value}
          onChange={({ target }) => onChange(target.value === fallback ? undefined : target.value)}
        >
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      </Field>
    )
  return (
    <TypedControl name={name} hint={hint} control={control} fallback={fallback} value={value} onChange={onChange} />
  )
}

/** What is typed counts when the typing pauses. */
function TypedControl({
  name,
  hint,
  control,
  fallback,
  value,
  onChange,
}: Pick<Parameter, 'name' | 'control' | 'fallback'> & {
  hint: string
  value: string
  onChange: (value: string | undefined) => void
}) {
  const isTime = control === 'time'
  const shown = isTime && value !== '' ? localTime(Number(value)) : value
  const [text, setText] = useTyped(shown, (typed) => onChange(isTime && typed !== '' ? msOf(typed) : typed))
  return (
    <Field label={name} hint={hint}>
      <input
        type={isTime ? 'datetime-local' : 'text'}
        inputMode={control === 'number' ? 'decimal' : undefined}
        placeholder={fallback}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </Field>
  )
}

const plain = (text: string): string => text.replaceAll('`', '')
