import type { App } from './app.ts'
import type { Running } from './send.ts'
import type { Granted } from './sign-in.ts'

/** Connects a service user by a token that the app already has (`/apply`), to a new account or to a given one. */
export async function connect(
  { tributary }: Running,
  { clientId, secret }: App,
  service: string,
  { token, account }: { token: string; account?: string | undefined },
): Promise<Granted> {
  const response = await fetch(`${tributary.url}/auth/${service}/apply`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: clientId,
      client_secret: secret,
      token,
      ...(account === undefined ? {} : { account }),
    }),
  })
  const body = (await response.json()) as Granted
  if (response.status !== 200) throw new Error(`The token was not applied: ${JSON.stringify(body)}`)
  return body
}
