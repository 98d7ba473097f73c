import type { Auth } from './auth.ts'

/** The first scope that is needed, but neither granted nor included in one that is; undefined if there is none. */
export function missingScope(
  auth: Auth,
  granted: readonly string[],
  needed: readonly string[] | undefined,
): string | undefined {
  const includes = auth.kind === 'oauth2' ? auth.scope.includes : undefined
  const held = new Set(granted.flatMap((each) => [each, ...(includes?.[each] ?? [])]))
  return needed?.find((each) => !held.has(each))
}
