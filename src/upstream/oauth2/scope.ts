export interface ScopeOptions {
  /** Of the authorization request. */
  requested?: string | undefined
  /** Of the app's key. */
  keyScope?: string | undefined
  /** Always added. */
  extra?: readonly string[] | undefined
}

/**
 * The requested scope replaces the key's, which replaces the connector's default. Joined with the service's separator.
 */
export function scopeFor(
  declared: { default: string[]; separator: string },
  { requested, keyScope, extra = [] }: ScopeOptions,
): string {
  const names = namesIn(requested) ?? namesIn(keyScope) ?? declared.default
  return [...new Set([...names, ...extra])].join(declared.separator)
}

function namesIn(text: string | undefined): string[] | undefined {
  const names = (text ?? '').split(/[\s,]+/).filter((name) => name !== '')
  return names.length > 0 ? names : undefined
}
