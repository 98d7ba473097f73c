/** A wrong knob or a wrong value for one: the caller's mistake, told loudly so that no test turns the wrong screw. */
export class WrongKnob extends Error {}

export const isWrongKnob = (error: unknown): error is WrongKnob => error instanceof WrongKnob

/** Allowed values of each knob: a list of choices, or a test. */
export type Knobs<S> = { [K in keyof S]-?: readonly S[K][] | ((value: unknown) => boolean) }

export function applyKnobs<S extends object>(settings: S, changes: Record<string, unknown>, knobs: Knobs<S>): S {
  for (const [name, value] of Object.entries(changes)) {
    const rule = (knobs as Record<string, readonly unknown[] | ((value: unknown) => boolean)>)[name]
    if (rule === undefined) throw new WrongKnob(`no knob named ${name}`)
    const fits = typeof rule === 'function' ? rule(value) : rule.includes(value)
    if (!fits) throw new WrongKnob(`${name} cannot be ${JSON.stringify(value)}`)
  }
  return Object.assign(settings, changes)
}

export const isText = (value: unknown): boolean => typeof value === 'string'
export const isNumber = (value: unknown): boolean => typeof value === 'number' && value >= 0
export const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
export const isTextMap = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).every(isText)
export const isFlag = (value: unknown): boolean => typeof value === 'boolean'
export const isListOf =
  (choices: readonly string[]) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.length > 0 && value.every((one) => choices.includes(String(one)))
