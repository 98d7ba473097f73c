import type { Parameters } from '#kit/auth/auth.ts'
import { fillPlaceholders as fill, type PlaceholderValues, placeholdersIn } from '#kit/endpoints/placeholders.ts'

/** Replaces `{key}`, `{setting.NAME}`, `{token}` … in a declared text; other braces stay. */
export function fillPlaceholders(
  text: string,
  values: PlaceholderValues,
  encode: (value: string) => string = (value) => value,
): string {
  return fill(text, values, encode)
}

/** The same for headers or parameters. One with a setting or fact that is not set is left out. */
export function fillParameters(parameters: Parameters | undefined, values: PlaceholderValues): Parameters {
  return Object.fromEntries(
    Object.entries(parameters ?? {})
      .filter(([, text]) => !placeholdersIn(text).some((name) => name.includes('.') && values[name] === undefined))
      .map(([name, text]) => [name, fillPlaceholders(text, values)]),
  )
}
