import type { IdentityDeps } from '#identity/deps.ts'
import { typedFieldsOf } from '#kit/auth/auth.ts'
import type { TypedValues } from '#kit/auth/typed.ts'
import { isServerFormat, publicValues } from '#kit/auth/typed-values.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { networkOf } from '#platform/formats/network-of.ts'
import { releaseAttempts, reserveAttempts } from '#store/apps/attempts.ts'

const WINDOW_MS = 15 * 60_000
/** Limit (sign-in): refused attempts in 15 minutes to sign in as one user of a service on our page, from any browser and app; then the page refuses that user until the 15 minutes are over. */
const MAX_WRONG_PER_NAME = 10
/** Limit (sign-in): refused attempts in 15 minutes to sign in on our page by one browser; then the page refuses the browser. */
const MAX_WRONG_PER_BROWSER = 20
/** Limit (sign-in): refused attempts in 15 minutes to sign in on our page from one network address; then the page refuses the address. */
const MAX_WRONG_PER_ADDRESS = 60
/** Limit: refused attempts in 15 minutes to sign in on our page for one app; then the page refuses everybody of the app. */
const MAX_WRONG_PER_APP = 1000

export interface TypedAttempt {
  appId: string
  connector: Connector
  values: TypedValues
  browser: Buffer
  ip: string
}

/**
 * Counts an attempt before the service is asked, over all processes, so that the page cannot be used to guess passwords.
 * Undefined when there were too many.
 */
export async function countTyped(
  deps: IdentityDeps,
  attempt: TypedAttempt,
): Promise<{ release: () => Promise<void> } | undefined> {
  const limits = limitsOf(deps, attempt)
  const now = deps.clock.now()
  const window = now - (now % WINDOW_MS)
  const subjects = [...limits.keys()]
  const counts = await reserveAttempts(deps.database, subjects, window)
  if (subjects.some((subject) => (counts.get(subject) ?? 0) > (limits.get(subject) ?? 0))) return undefined
  return { release: () => releaseAttempts(deps.database, subjects, window) }
}

/** Until when attempts are refused once there were too many. */
export function attemptsResumeInS({ clock }: IdentityDeps): number {
  return Math.max(1, Math.ceil((WINDOW_MS - (clock.now() % WINDOW_MS)) / 1000))
}

function limitsOf(
  { hasher }: IdentityDeps,
  { appId, connector, values, browser, ip }: TypedAttempt,
): Map<string, number> {
  const name = accountName(connector, values)
  const named =
    name === undefined
      ? []
      : [[`typed name ${hasher.hash('attempt', name).toString('hex')}`, MAX_WRONG_PER_NAME] as const]
  return new Map([
    ...named,
    [`typed browser ${browser.toString('hex')}`, MAX_WRONG_PER_BROWSER],
    [`typed address ${networkOf(ip)}`, MAX_WRONG_PER_ADDRESS],
    [`typed app ${appId}`, MAX_WRONG_PER_APP],
  ])
}

/**
 * Whose password is tried: the service, the server's name and the typed name, each written in one way, because services
 * accept a name in upper case or with a full-width letter as the same one.
 */
export function accountName({ service, auth }: Connector, values: TypedValues): string | undefined {
  const fields = typedFieldsOf(auth) ?? {}
  const account = auth.kind === 'typed' ? auth.account : undefined
  const shown = Object.entries(publicValues(fields, values)).filter(
    ([field]) => account === undefined || field === account || isServerFormat(fields[field]?.format),
  )
  if (shown.length === 0) return undefined
  return JSON.stringify([
    service,
    ...shown.map(([field, value]) => [field, normalName(value, isServerFormat(fields[field]?.format))]),
  ])
}

function normalName(value: string, asServer: boolean): string {
  const host = asServer ? URL.parse(value.includes('://') ? value : `https://${value}`)?.hostname : undefined
  return (host ?? value)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\p{Cf}]/gu, '')
}
