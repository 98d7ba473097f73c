import type { Parameters } from '#kit/auth.ts'

export type Fillings = Readonly<Record<string, string>>

/** Fills `{key}`, `{secret}`, `{token}` into a declared text; other braces stay. */
export function fill(text: string, fillings: Fillings, encode: (value: string) => string = (value) => value): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(fillings, name) ? encode(fillings[name]!) : whole,
  )
}

export function fillAll(parameters: Parameters | undefined, fillings: Fillings): Parameters {
  return Object.fromEntries(Object.entries(parameters ?? {}).map(([name, value]) => [name, fill(value, fillings)]))
}
