/** Values of placeholders by name: `key`, `setting.NAME`, `fact.NAME`. An undefined one is not set. */
export type PlaceholderValues = Readonly<Record<string, string | undefined>>

const PLACEHOLDER = /\{([A-Za-z_]\w*(?:\.\w+)?)\}/g

/** The names of the placeholders in a text, such as `key` in `{key}`. */
export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!)
}

/** Replaces `{name}` by its encoded value; braces with other names stay. */
export function fillPlaceholders(
  text: string,
  values: PlaceholderValues,
  encode: (value: string) => string = (value) => value,
): string {
  return text.replaceAll(PLACEHOLDER, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    return value === undefined ? whole : encode(value)
  })
}
