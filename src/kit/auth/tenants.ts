import type { Tenants } from '../read/facts.ts'
import type { Auth } from './auth.ts'

export const tenantsOf = (auth: Auth): Tenants | undefined => (auth.kind === 'oauth2' ? auth.tenants : undefined)

/** The names of everything that a sign-in tells beside the person. */
export function factNames(auth: Auth): string[] {
  // Called on definitions that nobody checked yet.
  return auth.kind === 'oauth2' ? [...Object.keys(auth.facts ?? {}), ...Object.keys(auth.tenants?.facts ?? {})] : []
}

/** What is added to native ids for the tenant. An `@` in it must not look like the one before it. */
export function tenantSuffix(auth: Auth, facts: Readonly<Record<string, string>> | undefined): string {
  const tenants = tenantsOf(auth)
  return tenants === undefined ? '' : `@${(facts?.[tenants.id] ?? '').replaceAll('@', '%40')}`
}
