import type { Tributary } from './start.ts'

/** The credentials of an app. */
export interface App {
  clientId: string
  secret: string
}

/** The key and secret of an app at a service, and addresses that replace those of the connector. */
export interface ServiceKeys {
  key: string
  secret: string
  overrides?: Record<string, string>
}

export interface NewApp {
  name?: string
  redirectUris?: string[]
  /** A public client. */
  isPublic?: boolean
  /** Service keys, by service. */
  keys?: Record<string, ServiceKeys>
  /** Tokens that `apply` accepts. Most services of the tests cannot prove to whom a token was issued. */
  apply?: 'proven' | 'any'
}

/** Creates an app through the admin API. */
export async function makeApp(
  tributary: Pick<Tributary, 'admin'>,
  { name = 'App', redirectUris = ['https://app.test/'], isPublic = false, keys = {}, apply = 'any' }: NewApp = {},
): Promise<App> {
  const fields = { name, redirect_uris: redirectUris, public: isPublic, apply }
  const { status, body } = await tributary.admin('POST', '/admin/apps', fields)
  if (status !== 201) throw new Error(`The app was not created: ${JSON.stringify(body)}`)
  const { client_id: clientId, client_secret: secret } = body as { client_id: string; client_secret: string }
  for (const [service, each] of Object.entries(keys)) await setKeys(tributary, { clientId }, service, each)
  return { clientId, secret }
}

/** Sets the keys of an app at a service through the admin API. */
export async function setKeys(
  { admin }: Pick<Tributary, 'admin'>,
  { clientId }: Pick<App, 'clientId'>,
  service: string,
  keys: ServiceKeys,
): Promise<void> {
  const { status, body } = await admin('PUT', `/admin/apps/${clientId}/keys/${service}`, keys)
  if (status !== 200) throw new Error(`The keys of ${service} were refused: ${JSON.stringify(body)}`)
}

/** The `Authorization` header of an app (HTTP Basic). */
export function basic({ clientId, secret }: App): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` }
}
