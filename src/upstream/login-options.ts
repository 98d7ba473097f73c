import type { Parameters, Variation } from '#kit/auth/auth.ts'

/** Options of the authorization request for the service's login page. */
export interface LoginOptions {
  flag?: string | undefined
  forceLogin?: boolean | undefined
}

/**
 * The changes to the authorization request that the connector declares for these options; unknown options change
 * nothing.
 */
export function applyLoginOptions(
  auth: { flags: Record<string, Variation>; forceLogin?: Variation },
  { flag, forceLogin }: LoginOptions,
): { authorizeUrl: string | undefined; parameters: Parameters; scope: string[] } {
  const flagged = flag !== undefined && Object.hasOwn(auth.flags, flag) ? auth.flags[flag] : undefined
  const forced = forceLogin === true ? auth.forceLogin : undefined
  return {
    authorizeUrl: flagged?.authorizeUrl ?? forced?.authorizeUrl,
    parameters: { ...flagged?.parameters, ...forced?.parameters },
    scope: [...(flagged?.scope ?? []), ...(forced?.scope ?? [])],
  }
}
