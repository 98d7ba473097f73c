import type { OperatorRole } from '#model/apps/operator.ts'
import { send } from './send.ts'
import type { Tributary } from './start.ts'

/** An operator who is signed in. */
export interface SignedIn {
  id: string
  name: string
  password: string
  /** What the dashboard sends with each request. */
  headers: Record<string, string>
}

export const PASSWORD = 'a long walk by the river'
let made = 0

/** Invites an operator, and accepts the link with a password. */
export async function newOperator(
  tributary: Tributary,
  { role = 'operator', apps = [] }: { role?: OperatorRole; apps?: string[] } = {},
): Promise<SignedIn> {
  made += 1
  const name = `Operator ${made}`
  const { body } = await tributary.admin('POST', '/admin/operators', { role, apps })
  const { url } = body as { url: string }
  const json = { token: secretIn(url), name, password: PASSWORD }
  const reply = await send({ tributary }, 'POST', '/dashboard/link/accept', { json, headers: FROM_DASHBOARD })
  if (reply.status !== 200) throw new Error(`The link was not accepted: ${reply.text}`)
  const { operator } = reply.body as { operator: { id: string } }
  return { id: operator.id, name, password: PASSWORD, headers: headersOf(reply.headers) }
}

export const FROM_DASHBOARD = { 'tributary-dashboard': '1' }

/** The headers of a browser that got this response to a sign-in. */
export function headersOf(headers: Headers): Record<string, string> {
  return { ...FROM_DASHBOARD, cookie: (headers.get('set-cookie') ?? '').split(';')[0]! }
}

export function secretIn(url: string): string {
  return url.slice(url.indexOf('#') + 1)
}
