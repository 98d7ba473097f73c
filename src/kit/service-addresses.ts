import type { Connector } from './connector.ts'

/** The addresses of Tributary that an app enters in its settings at a service. */
export interface ServiceAddresses {
  /** Where the service redirects people after they signed in. */
  callback: string
  /** Where it sends webhooks. */
  hook?: string
  /** Where it requests the deletion of a person's data. */
  deletion?: string
  /** Where it tells that a person removed the app. */
  deauthorize?: string
}

export function serviceAddresses(
  baseUrl: string,
  { service, hook, deletion }: Pick<Connector, 'service' | 'hook' | 'deletion'>,
  appId: string,
): ServiceAddresses {
  const hookUrl = `${baseUrl}/hooks/${service}/${appId}`
  return {
    callback: `${baseUrl}/auth/${service}/callback`,
    ...(hook === undefined ? {} : { hook: hookUrl }),
    ...(deletion === undefined ? {} : { deletion: `${hookUrl}/deletion`, deauthorize: `${hookUrl}/deauthorize` }),
  }
}
