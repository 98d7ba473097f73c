import { type IdentityDeps, type SignInDeps, TEN_MINUTES_MS } from '#identity/deps.ts'
import { countSignIn } from '#identity/open-sign-ins.ts'
import { requestIn, type SignInRequest, type StoredRequest, storedRequest } from '#identity/pending-value.ts'
import type { Ask } from '#kit/auth/ask.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { App } from '#model/apps/app.ts'
import { randomSecret } from '#platform/crypto/ids.ts'
import { insertPending, type Pending } from '#store/identity/pending.ts'
import type { OutcomeOf } from './outcome.ts'

/** A sign-in that has not been sent to its service. */
export interface SignInStart {
  app: App
  connector: Connector
  browser: Buffer
  ip: string
  options: { scope: string | undefined; flag?: string | undefined; forceLogin: boolean }
  request: SignInRequest
}

/** The sealed content of a question to the person. */
export interface QuestionValue {
  request: SignInRequest
  options: SignInStart['options']
  /** What the app gave, also if it cannot be understood. */
  given: Record<string, string>
}

/** Limit: characters of an answer as it is shown again; the rest is cut off. */
const MAX_SHOWN_ANSWER = 300

/** Stores the sign-in until the person has answered on our page. */
export async function askPerson(
  deps: SignInDeps,
  { app, connector, browser, ip, options, request }: SignInStart,
  given: Readonly<Record<string, string | undefined>>,
): Promise<OutcomeOf<'started'> & { kind: 'asked' }> {
  deps.trace.of({ appId: app.id, service: connector.service })
  await countSignIn(deps, app.id, ip)
  const ticket = randomSecret()
  const expiresAt = deps.clock.now() + TEN_MINUTES_MS
  const value = { options, given: shownAnswers(connector.ask ?? {}, given), request: storedRequest(request) }
  await insertPending(deps.database, deps.keyring, questionHash(deps, ticket), {
    appId: app.id,
    service: connector.service,
    browser,
    value: JSON.stringify(value),
    expiresAt,
  })
  deps.trace.awaits('The person was asked which server or name is theirs.', 'abandoned', expiresAt)
  return { kind: 'asked', ticket }
}

export function questionIn({ value }: Pending): QuestionValue {
  const { request, ...rest } = JSON.parse(value) as Omit<QuestionValue, 'request'> & { request: StoredRequest }
  return { ...rest, request: requestIn(request) }
}

export function questionHash({ hasher }: Pick<IdentityDeps, 'hasher'>, ticket: string): Buffer {
  return hasher.hash('pending', `ask ${ticket}`)
}

export function shownAnswers(ask: Ask, given: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(ask).flatMap(([name, { alsoNamed }]) => {
      const text = given[name] ?? (alsoNamed === undefined ? undefined : given[alsoNamed])
      return text === undefined ? [] : [[name, text.slice(0, MAX_SHOWN_ANSWER)]]
    }),
  )
}
