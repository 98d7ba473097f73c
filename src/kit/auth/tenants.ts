import type { Auth } from './auth.ts'

/**
 * A call after the sign-in that lists the person's tenants at the service: sites, companies, workspaces, accounts. Where there are
 * several, Tributary asks on a page. The service lists them to the token, so a person can choose one of theirs and no other.
 */
export interface Tenants {
  /** What one is called, as the label of the question: `Site`. */
  title: string
  /** The full address of the call. It is a GET that carries the token, so it must be the service's own. */
  url: string
  /** Path of the list in the response: `accounts`. Default: the response itself. An object instead of a list is the only tenant. */
  list?: string
  /** Only those whose texts at these paths are equal: `{ tenantType: 'ORGANISATION' }`. */
  where?: Readonly<Record<string, string>>
  /** What calls need of it, by name, with its path in the tenant: used as `{fact.NAME}`. */
  facts: Readonly<Record<string, string>>
  /** The fact that names it, which is added to native ids: the same person at another tenant is another profile. */
  id: string
  /** Path of the name that the person sees. Default: the fact `id`. */
  name?: string
}

/** One tenant of a person, as the service listed it. */
export interface Tenant {
  name: string
  facts: Record<string, string>
}

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
