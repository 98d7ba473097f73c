import type { Parameters, Variation } from '#kit/auth.ts'

/** What an app may ask of the service's login page. */
export interface LoginOptions {
  flag?: string | undefined
  forceLogin?: boolean | undefined
}

/** The declared variations that these wishes pick, as one; wishes that the service does not know change nothing. */
export function vary(
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
