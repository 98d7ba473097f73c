import type { Parameters } from '#kit/auth.ts'

export type PlaceholderValues = Readonly<Record<string, string>>

/** Replaces `{key}`, `{secret}`, `{token}` in a declared text; other braces stay. */
export function fillPlaceholders(
  text: string,
  values: PlaceholderValues,
  encode: (value: string) => string = (value) => value,
): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? encode(values[name]!) : whole,
  )
}

export function fillParameters(parameters: Parameters | undefined, values: PlaceholderValues): Parameters {
  return Object.fromEntries(
    Object.entries(parameters ?? {}).map(([name, value]) => [name, fillPlaceholders(value, values)]),
  )
}
