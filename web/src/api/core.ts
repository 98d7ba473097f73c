import { type Core, call, type Input, type ResponseOf } from '@tributary-hub/client/core.ts'
import { createTransport } from '@tributary-hub/client/transport.ts'
import { sendConfirmed } from './confirm-identity.ts'
import { keyOf, OPERATOR, type Read } from './keys.ts'

/** The server takes a session cookie only with this header, which a simple request of another origin cannot send. */
const DASHBOARD = { 'tributary-dashboard': '1' }

/** A person waits for the page: fewer attempts than a program would make. */
const RETRIES = 1

function coreWith(headers: Record<string, string>): Core {
  const transport = createTransport({
    baseUrl: location.origin,
    retries: RETRIES,
    fetch: (input, init) => {
      const merged = new Headers(init?.headers)
      for (const [name, value] of Object.entries({ ...DASHBOARD, ...headers })) merged.set(name, value)
      return sendConfirmed(() => fetch(input, { ...init, headers: merged, credentials: 'same-origin' }))
    },
  })
  return { transport, authorization: undefined }
}

/** As the operator who is signed in: routes of administration. */
export const asOperator: Core = coreWith({})
/** For an app: the routes that the app itself calls with its secret. */
export const asApp = (clientId: string): Core => coreWith({ 'tributary-app': clientId })
/** For an account: the routes that the app calls with the account's access token. */
export const asAccount = (id: string): Core => coreWith({ 'tributary-account': id })
/** With an access token, as any app does. */
export const withToken = (token: string): Core => {
  const transport = createTransport({ baseUrl: location.origin, retries: RETRIES })
  return { transport, authorization: `Bearer ${token}` }
}

/** Options of a query. */
export function request<K extends Read>(
  who: { core: Core; name: string },
  operation: K,
  input: Pick<Input, 'path' | 'query'> = {},
) {
  return {
    queryKey: keyOf(operation, who.name, input.path, input.query),
    queryFn: ({ signal }: { signal: AbortSignal }): Promise<ResponseOf<K>> =>
      call(who.core, operation, { ...input, options: { signal } }),
  }
}

export const operator = { core: asOperator, name: OPERATOR }
export const app = (clientId: string) => ({ core: asApp(clientId), name: clientId })
export const account = (id: string) => ({ core: asAccount(id), name: id })
