import { createHmac } from 'node:crypto'
import type { ServiceClock } from '../base/clock.ts'
import { first } from '../base/pairs.ts'
import type { Person } from '../base/people.ts'
import { formOf, type LabRequest } from '../base/request.ts'
import type { AppGrant, AppGrants } from './app-grants.ts'
import { graphError } from './graph-error.ts'

export interface GraphCaller {
  person: Person
  grant: AppGrant
  token: string
}

interface GuardParts {
  grants: AppGrants
  apps: ReadonlyMap<string, string>
  people: readonly Person[]
  clock: ServiceClock
  /** "Require App Secret" of the app dashboard: calls without appsecret_proof are refused. */
  settings: { requireProof: boolean }
}

export const presentedToken = (request: LabRequest): string | undefined =>
  first([...request.query, ...formOf(request)], 'access_token') ??
  /^(?:Bearer|OAuth) (.+)$/i.exec(request.headers.authorization ?? '')?.[1]

/** The caller, or an error whose subcode says why the token is invalid. */
export function createGuard(parts: GuardParts): (request: LabRequest) => GraphCaller {
  const { grants, apps, people, clock, settings } = parts
  return (request) => {
    const value = presentedToken(request)
    if (value === undefined)
      throw graphError('An active access token must be used to query information about the current user.', {
        code: 2500,
      })
    const token = grants.token(value)
    if (!token) throw graphError('Invalid OAuth access token - Cannot parse access token', { code: 190 })
    const { grant } = token
    if (grant.revoked)
      throw graphError(`Error validating access token: The user has not authorized application ${grant.clientKey}.`, {
        code: 190,
        subcode: 458,
      })
    if (!grants.isActive(token))
      throw graphError(
        `Error validating access token: Session has expired on ${longDate(token.expiresAtMs)}. The current time is ${longDate(clock.now())}.`,
        { code: 190, subcode: 463 },
      )
    checkProof(first(request.query, 'appsecret_proof'), value, apps.get(grant.clientKey) ?? '')
    const person = people.find(({ username }) => username === grant.username)!
    return { person, grant, token: value }
  }

  function checkProof(proof: string | undefined, token: string, secret: string): void {
    const wrong = (message: string) => graphError(message, { type: 'GraphMethodException', code: 100 })
    if (proof === undefined && settings.requireProof)
      throw wrong('API calls from the server require an appsecret_proof argument')
    if (proof !== undefined && proof !== createHmac('sha256', secret).update(token).digest('hex'))
      throw wrong('Invalid appsecret_proof provided in the API argument')
  }
}

const longDate = (ms: number): string => new Date(ms).toUTCString().replace('GMT', 'UTC')
