import { Field } from '../../../ui/field.tsx'
import type { Option, OptionTexts } from './option-texts.ts'

/** A control for each option of a kind of destination. */
export function OptionFields({
  options,
  texts,
  onChange,
}: {
  options: readonly Option[]
  texts: OptionTexts
  onChange: (option: Option, text: string) => void
}) {
  return options.map((option) => (
    <Field key={option.name} label={labelOf(option)} hint={hintOf(option)}>
      {controlOf(option, texts[option.name] ?? '', (text) => onChange(option, text))}
    </Field>
  ))
}

function controlOf(
  { type, choices = [], default: preset, example }: Option,
  text: string,
  set: (text: string) => void,
) {
  const listed = type === 'flag' ? ['true', 'false'] : choices
  if (type === 'flag' || type === 'choice')
    return (
      <select value={text} onChange={({ target }) => set(target.value)}>
        <option value="">{preset === undefined ? 'unset' : `${shownAs(preset)} (unless set)`}</option>
        {listed.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    )
  const shared = { value: text, spellCheck: false, autoComplete: 'off' }
  if (type === 'lines') return <textarea {...shared} rows={3} onChange={({ target }) => set(target.value)} />
  return <input {...shared} placeholder={shownAs(example ?? preset)} onChange={({ target }) => set(target.value)} />
}

function shownAs(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function labelOf({ name }: Option): string {
  const words = name.replaceAll('_', ' ')
  return `Option: ${words}`
}

function hintOf({ description, type }: Option): string {
  const sentence = description.replaceAll('`', '')
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.${type === 'json' ? ' As JSON.' : ''}`
}
