export interface ScopeOptions {
  /** What the caller asks for this time. */
  asked?: string | undefined
  /** What the app's key asks for always. */
  ofKey?: string | undefined
  /** Names that come on top, whoever asked for the rest. */
  extra?: readonly string[] | undefined
}

/** The caller's scope replaces the key's, which replaces the default; commas and spaces become the service's separator. */
export function scopeFor(
  declared: { default: string[]; separator: string },
  { asked, ofKey, extra = [] }: ScopeOptions,
): string {
  const names = namesIn(asked) ?? namesIn(ofKey) ?? declared.default
  return [...new Set([...names, ...extra])].join(declared.separator)
}

function namesIn(text: string | undefined): string[] | undefined {
  const names = (text ?? '').split(/[\s,]+/).filter((name) => name !== '')
  return names.length > 0 ? names : undefined
}
