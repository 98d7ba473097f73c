import { Field } from '../../../ui/field.tsx'
import type { Option, OptionTexts } from './options.ts'

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
        <option value="">{preset === undefined ? 'unset' : `${String(preset)} (unless set)`}</option>
        {listed.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    )
  const shared = { value: text, spellCheck: false, autoComplete: 'off' }
  if (type === 'lines') return <textarea {...shared} rows={3} onChange={({ target }) => set(target.value)} />
  const shown = example ?? preset
  const placeholder = shown === undefined ? '' : typeof shown === 'string' ? shown : JSON.stringify(shown)
  return <input {...shared} placeholder={placeholder} onChange={({ target }) => set(target.value)} />
}

function labelOf({ name }: Option): string {
  const words = name.replaceAll('_', ' ')
  return `Option: ${words}`
}

function hintOf({ description, type }: Option): string {
  const sentence = description.replaceAll('`', '')
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.${type === 'json' ? ' As JSON.' : ''}`
}
