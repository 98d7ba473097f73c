import { ApiError } from '../errors.ts'

/** `operator`: everything. `developer`: certain apps with their accounts. */
export const OPERATOR_ROLES = ['operator', 'developer'] as const
export type OperatorRole = (typeof OPERATOR_ROLES)[number]

/** Who operates the installation, or develops apps on it: the holder of the admin token, or a named operator. */
export interface Operator {
  /** How the audit log names them: `admin`, `operator:<id>`. */
  actor: string
  name: string
  role: OperatorRole
  /** The apps of a developer; an operator may use every app. */
  apps: readonly string[]
  /** Of a named operator: the session of the request. */
  session?: { id: string; operatorId: string; authenticatedAt: number }
}

/** The holder of the admin token. */
export const ADMIN: Operator = { actor: 'admin', name: 'admin', role: 'operator', apps: [] }

export function mayUseApp({ role, apps }: Pick<Operator, 'role' | 'apps'>, appId: string): boolean {
  return role === 'operator' || apps.includes(appId)
}

/** The id of the operator who a visitor of the demo is. */
export const DEMO_OPERATOR = 'op_demo'

/** How the audit log names a named operator. */
export function actorOfOperator(id: string): string {
  return `operator:${id}`
}

/** How long after the password or a passkey was given dangerous actions are allowed. */
export const RECENT_SIGN_IN_MS = 10 * 60_000

/** Refuses a session whose password or passkey was given too long ago. The admin token is given with each request. */
export function requireRecentSignIn({ session }: Operator, nowMs: number): void {
  if (session !== undefined && session.authenticatedAt + RECENT_SIGN_IN_MS <= nowMs) throw new ApiError('sign_in_again')
}

/** A session ends when it was not used for this long, */
export const SESSION_IDLE_MS = 12 * 3_600_000
/** and after this long in any case. */
export const SESSION_LIFETIME_MS = 7 * 86_400_000

/** Limit: characters of the name of an operator or a passkey. */
export const MAX_OPERATOR_NAME = 64
/** Limit (operators): characters that an operator password must have; a shorter one is refused. */
export const MIN_PASSWORD = 12
/** Limit: characters of the password of an operator. */
export const MAX_PASSWORD = 256
