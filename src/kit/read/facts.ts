/**
 * Something that a sign-in tells about the person's place at the service (an address, a company, a region) and that later calls
 * need. Kept sealed with the credential; used as `{fact.NAME}` in paths, headers and parameters, or as the address of the API
 * (`api.baseUrlFrom`).
 */
export type FactSource = { from: 'token'; path: string } | { from: 'callback'; name: string }

export type Facts = Record<string, FactSource>

/** A field of the token response, by its path: `instance_url`, `team.id`. Read again from the response to each refresh. */
export function fromToken(path: string): FactSource {
  return { from: 'token', path }
}

/** A parameter of the callback. The browser carries it, so the person may change it: the service must check it itself. */
export function fromCallback(name: string): FactSource {
  return { from: 'callback', name }
}

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
