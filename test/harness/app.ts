import type { Tributary } from './start.ts'

/** An app of the operator, as it knows itself. */
export interface App {
  clientId: string
  secret: string
}

export interface ServiceKeys {
  key: string
  secret: string
  overrides?: Record<string, string>
}

export interface NewApp {
  name?: string
  redirectUris?: string[]
  /** Its keys at services, by name. */
  keys?: Record<string, ServiceKeys>
}

/** Makes an app over the admin API. */
export async function makeApp(
  tributary: Pick<Tributary, 'admin'>,
  { name = 'App', redirectUris = ['https://app.test/'], keys = {} }: NewApp = {},
): Promise<App> {
  const { status, body } = await tributary.admin('POST', '/admin/apps', { name, redirect_uris: redirectUris })
  if (status !== 201) throw new Error(`no app was made: ${JSON.stringify(body)}`)
  const { client_id: clientId, client_secret: secret } = body as { client_id: string; client_secret: string }
  for (const [service, each] of Object.entries(keys)) await setKeys(tributary, { clientId }, service, each)
  return { clientId, secret }
}

export async function setKeys(
  { admin }: Pick<Tributary, 'admin'>,
  { clientId }: Pick<App, 'clientId'>,
  service: string,
  keys: ServiceKeys,
): Promise<void> {
  const { status, body } = await admin('PUT', `/admin/apps/${clientId}/keys/${service}`, keys)
  if (status !== 200) throw new Error(`the keys of ${service} were refused: ${JSON.stringify(body)}`)
}

/** `Authorization` for an app, as HTTP Basic. */
export function basic({ clientId, secret }: App): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` }
}
