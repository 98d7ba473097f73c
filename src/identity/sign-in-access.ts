import { registeredKey, registrationOf } from '#access/register-app.ts'
import { answersIn, type ServiceAccess, withRegisteredKey } from '#access/service-access.ts'
import { keyFor } from '#access/service-key.ts'
import { type Answers, hostFieldOf, readAnswer } from '#kit/auth/ask.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { namedServer, registrationOfKey } from '#kit/connector/service-addresses.ts'
import { identityRuleOf } from '#kit/connector/who-vouches.ts'
import type { App } from '#model/apps/app.ts'
import type { OpenServiceKey } from '#store/apps/service-keys.ts'
import { fillConnector } from '#upstream/fill-connector.ts'
import { resolvePerson } from '#upstream/oauth2/resolve-handle.ts'
import type { ServiceKey } from '#upstream/request/service-key.ts'
import type { IdentityDeps } from './deps.ts'
import { AuthorizeError, noServiceKeys, serviceUnknown } from './errors.ts'

/** A service that the app can sign people in at: with its own key, or by registering. */
export interface SignInService {
  connector: Connector
  /** Undefined: the app registers at the service. */
  ownKey: OpenServiceKey | undefined
}

export async function requireService(
  deps: IdentityDeps,
  app: Pick<App, 'id'>,
  service: string | undefined,
): Promise<SignInService> {
  const connector = service === undefined ? undefined : deps.registry.find(service)
  if (connector === undefined)
    throw serviceUnknown(
      service,
      deps.registry.list().map((each) => each.service),
    )
  const ownKey = await keyFor(deps, app.id, connector)
  if (ownKey === undefined && registrationOf(connector) === undefined) throw noServiceKeys(app.id, connector.service)
  return { connector, ownKey }
}

/** The answers that were given, normalised, and the names of fields that must be asked for. */
export interface GivenAnswers {
  answers: Answers
  missing: string[]
  /** Answers that cannot be understood, as they were given. */
  wrong: string[]
}

/** Reads answers from the parameters of the app or from the page. The instance of the app's own key need not be asked for. */
export function readAnswers(
  { connector, ownKey }: SignInService,
  given: Readonly<Record<string, string | undefined>>,
): GivenAnswers {
  const implied = ownKey === undefined ? {} : answersIn(connector, ownKey)
  const answers: Record<string, string> = {}
  const [missing, wrong]: [string[], string[]] = [[], []]
  for (const [name, field] of Object.entries(connector.ask ?? {})) {
    const text = given[name] ?? (field.alsoNamed === undefined ? undefined : given[field.alsoNamed])
    const left = implied[name] ?? (text === '' ? field.default : undefined)
    const answer = text === undefined || text === '' ? left : readAnswer(field, text)
    if (answer !== undefined) answers[name] = answer
    else if (text !== undefined && text !== '') wrong.push(name)
    else if (field.optional !== true) missing.push(name)
  }
  return { answers, missing, wrong }
}

/** Whether the person is asked: something is missing or wrong, or they had no chance to answer an optional question. */
export function mustAsk({ connector, ownKey }: SignInService, { answers, missing, wrong }: GivenAnswers): boolean {
  if (connector.ask === undefined) return false
  if (missing.length > 0 || wrong.length > 0) return true
  const isFixed = ownKey?.overrides['base_url'] !== undefined
  return Object.keys(answers).length === 0 && !isFixed
}

/**
 * Whether a link names the server to go to. The author of the link chose it, so the person sees it before anything is sent there;
 * the server of the app's own key needs no look.
 */
export function namesServerInLink(service: SignInService, { answers }: GivenAnswers): boolean {
  const { connector, ownKey } = service
  const pinned = ownKey === undefined ? {} : answersIn(connector, ownKey)
  return Object.entries(connector.ask ?? {}).some(
    ([name, { kind }]) => kind !== 'text' && answers[name] !== undefined && answers[name] !== pinned[name],
  )
}

/** Everything that a sign-in at one instance needs. */
export interface SignInAccess {
  connector: Connector
  key: ServiceKey
  /** Kept in the credential; undefined where the service has one instance. */
  instance: Answers | undefined
  /** The person that must come back, if a handle named one. */
  subject: string | undefined
  loginHint: string | undefined
  /** Which redirect address the service gets; undefined: the one that all apps share. */
  registration: string | undefined
}

/** Finds the instance of the answers and the app's key there, and registers the app where it has none. */
export async function openSignInAccess(
  deps: IdentityDeps,
  app: Pick<App, 'id' | 'name'>,
  service: SignInService,
  answers: Answers,
): Promise<SignInAccess> {
  const connector = fillConnector(service.connector, answers)
  const { auth, ask } = connector
  const handle = Object.keys(ask ?? {}).find((name) => ask?.[name]?.kind === 'handle')
  const name = handle === undefined ? undefined : answers[handle]
  const home = auth.kind === 'oauth2' ? auth.home : undefined
  const isFixed = service.ownKey?.overrides['base_url'] !== undefined
  const person =
    name === undefined || home?.handle === undefined || isFixed
      ? undefined
      : await resolvePerson(deps.upstream, home, name)
  const known: Answers = { ...answers, ...(person === undefined ? {} : { issuer: person.issuer }) }
  const found = { connector, subject: person?.subject, loginHint: name }
  const own = ownKeyFor(service, answers)
  if (own !== undefined) {
    const registration = registrationOfKey(app.id, connector.service, own.overrides, namedServer(connector, answers))
    // Without `home` nothing demands `iss`, and the callback could not tell which server answered.
    if (identityRuleOf(connector).ownCallback && registration === undefined && home === undefined)
      throw new AuthorizeError('no_service_keys', { description: `The keys for ${connector.service} need base_url.` })
    return { ...found, key: own, instance: Object.keys(known).length === 0 ? undefined : known, registration }
  }
  const { registration, ...key } = await registeredKey(deps, { app, connector, answers: known })
  return { ...found, key, instance: withRegisteredKey(known, { ...key, registration }), registration }
}

/** The registration that a sign-in at this key has now; it was begun for another one if they differ. */
export function registrationNow(
  appId: string,
  { connector, key, isRegistered }: ServiceAccess,
  answers: Answers | undefined,
): string | undefined {
  if (isRegistered) return answers?.['registration'] ?? 'none'
  return registrationOfKey(appId, connector.service, key.overrides, namedServer(connector, answers))
}

/**
 * A key of one instance is not valid at another, where the app registers instead. People choose hosts, so a secret goes only to
 * the one that the key names.
 */
export function ownKeyFor({ connector, ownKey }: SignInService, answers: Answers): OpenServiceKey | undefined {
  const field = hostFieldOf(connector.ask)
  if (ownKey === undefined || field === undefined) return ownKey
  const implied = answersIn(connector, ownKey)[field]
  if (implied === answers[field] || (implied === undefined && ownKey.secret === '')) return ownKey
  if (registrationOf(connector) !== undefined) return undefined
  const description = `The app's keys for ${connector.service} are for another server, and this one does not let apps register.`
  throw new AuthorizeError('no_service_keys', { description })
}
