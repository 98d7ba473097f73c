/** An unknown setting or an invalid value. Thrown so that a typo in a test does not pass silently. */
export class InvalidSetting extends Error {}

export const isInvalidSetting = (error: unknown): error is InvalidSetting => error instanceof InvalidSetting

/** The allowed values of each setting: a list or a predicate. */
export type SettingRules<S> = { [K in keyof S]-?: readonly S[K][] | ((value: unknown) => boolean) }

export function applySettings<S extends object>(
  settings: S,
  changes: Record<string, unknown>,
  rules: SettingRules<S>,
): S {
  for (const [name, value] of Object.entries(changes)) {
    const rule = (rules as Record<string, readonly unknown[] | ((value: unknown) => boolean)>)[name]
    if (rule === undefined) throw new InvalidSetting(`unknown setting: ${name}`)
    const isValid = typeof rule === 'function' ? rule(value) : rule.includes(value)
    if (!isValid) throw new InvalidSetting(`invalid value for ${name}: ${JSON.stringify(value)}`)
  }
  return Object.assign(settings, changes)
}

export const isText = (value: unknown): boolean => typeof value === 'string'
export const isNumber = (value: unknown): boolean => typeof value === 'number' && value >= 0
export const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
export const isTextMap = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).every(isText)
export const isFlag = (value: unknown): boolean => typeof value === 'boolean'
export const isListOf =
  (choices: readonly string[]) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.length > 0 && value.every((one) => choices.includes(String(one)))
