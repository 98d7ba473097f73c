import { useEffect, useState } from 'react'
import { CheckField } from '../../../ui/check-field.tsx'
import { Field } from '../../../ui/field.tsx'
import type { Texts } from '../../search.ts'
import { localTime, msOf } from './local-time.ts'
import type { Parameter } from './parameters.ts'

/** One control for each parameter. What is entered goes to the address. */
export function Controls({
  parameters,
  address,
  onChange,
}: {
  parameters: Parameter[]
  address: Texts
  onChange: (changes: Texts) => void
}) {
  return (
    <>
      {parameters.map((parameter) => (
        <Control
          key={parameter.name}
          parameter={parameter}
          value={address[parameter.name] ?? ''}
          onChange={(value) => onChange({ [parameter.name]: value })}
        />
      ))}
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

/** What is typed counts when it is left or Enter is pressed, so that half a word is not asked for. */
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
  const [text, setText] = useState(shown)
  useEffect(() => setText(shown), [shown])
  const commit = () => {
    if (text !== shown) onChange(isTime && text !== '' ? msOf(text) : text)
  }
  return (
    <Field label={name} hint={hint}>
      <input
        type={isTime ? 'datetime-local' : 'text'}
        inputMode={control === 'number' ? 'decimal' : undefined}
        placeholder={fallback}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onBlur={commit}
        onKeyDown={({ key }) => key === 'Enter' && commit()}
      />
    </Field>
  )
}

const plain = (text: string): string => text.replaceAll('`', '')
