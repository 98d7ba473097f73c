import type { ResponseOf } from '@tributary-hub/client/core.ts'

export type Option = ResponseOf<'GET /push/kinds'>[number]['options'][number]
/** What a form holds of each option; an empty text leaves it unset. */
export type OptionTexts = Record<string, string | undefined>

/** The options that are set, as the API takes them. A JSON text that cannot be read is passed on as it is, and refused by name. */
export function optionsIn(options: readonly Option[], texts: OptionTexts): Record<string, unknown> {
  return Object.fromEntries(
    options.flatMap(({ name, type }) => {
      const text = texts[name]?.trim() ?? ''
      return text === '' ? [] : [[name, valueOf(type, text)]]
    }),
  )
}

/** The stored options as texts of a form. */
export function textsOf(options: Record<string, unknown>): OptionTexts {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

function valueOf(type: Option['type'], text: string): unknown {
  if (type === 'flag') return text === 'true'
  if (type !== 'json') return text
  try {
    return JSON.parse(text)
  } catch {
    // The server says what the option must look like.
    return text
  }
}
