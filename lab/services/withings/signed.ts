import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ServiceClock } from '../../base/clock.ts'
import { first } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import { secret } from '../../base/random.ts'
import { json, Refusal, type Reply } from '../../base/reply.ts'
import { formOf, type LabRequest } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import type { Registration } from '../../base/service-parts.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'

interface SignedParts {
  clock: ServiceClock
  oauth: OAuth2Server
  people: Person[]
  paths: { token: string; revoke: string }
}

const NONCE_MS = 30 * 60_000
const CLOCK_SKEW_S = 300

export const failed = (status: number, error: string) => new Refusal(json(200, { status, body: {}, error }))

/** Nonces, and the two calls that must be signed with one: tokens and revocation. Every status is 200; the body has its own. */
export function signedEndpoints({ clock, oauth, people, paths }: SignedParts): {
  routes: Routes
  register: (registration: Registration) => { key: string; secret: string }
} {
  const secrets = new Map<string, string>()
  const nonces = new Map<string, number>()

  const secretOf = (request: LabRequest): { key: string; value: string } => {
    const key = first(formOf(request), 'client_id') ?? ''
    const value = secrets.get(key)
    if (value === undefined) throw failed(503, 'Invalid Params: invalid client_id')
    return { key, value }
  }
  const checkSignature = (request: LabRequest, names: string[]) => {
    const text = names.map((name) => first(formOf(request), name) ?? '').join(',')
    const expected = createHmac('sha256', secretOf(request).value).update(text).digest()
    const given = Buffer.from(first(formOf(request), 'signature') ?? '', 'hex')
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw failed(2555, 'Invalid Params: invalid signature')
  }

  const getNonce = (request: LabRequest): Reply => {
    if (first(formOf(request), 'action') !== 'getnonce') throw failed(2556, 'Not implemented')
    checkSignature(request, ['action', 'client_id', 'timestamp'])
    const timestamp = Number(first(formOf(request), 'timestamp'))
    if (!(Math.abs(timestamp - clock.now() / 1000) < CLOCK_SKEW_S)) throw failed(2554, 'Invalid Params: timestamp')
    const nonce = secret(20)
    nonces.set(nonce, clock.now())
    return json(200, { status: 0, body: { nonce } })
  }

  const useNonce = (request: LabRequest) => {
    checkSignature(request, ['action', 'client_id', 'nonce'])
    const nonce = first(formOf(request), 'nonce') ?? ''
    const atMs = nonces.get(nonce)
    nonces.delete(nonce)
    if (atMs === undefined || clock.now() - atMs > NONCE_MS) throw failed(2555, 'Invalid Params: invalid nonce')
  }

  const requestToken = async (request: LabRequest): Promise<Reply> => {
    const { value } = secretOf(request)
    const unsigned = formOf(request).filter(
      ([name]) => !['action', 'nonce', 'signature', 'client_secret'].includes(name),
    )
    const body = new URLSearchParams([
      ...unsigned.map(([name, one]): [string, string] => [name, one]),
      ['client_secret', value],
    ])
    const inner = await call(`POST ${paths.token}`, { ...request, body: Buffer.from(body.toString()) })
    const fields = JSON.parse(inner.body.toString()) as { error?: string; error_description?: string }
    if (fields.error === undefined) return json(200, { status: 0, body: fields })
    throw failed(
      fields.error === 'invalid_grant' ? 503 : 401,
      `Invalid Params: ${fields.error_description ?? fields.error}`,
    )
  }

  const call = async (route: string, request: LabRequest): Promise<Reply> => {
    try {
      return await oauth.routes[route]!(request, {})
    } catch (error) {
      if (error instanceof Refusal) return error.reply
      throw error
    }
  }

  const oauth2 = (request: LabRequest): Reply | Promise<Reply> => {
    const action = first(formOf(request), 'action')
    if (action === 'requesttoken') {
      useNonce(request)
      return requestToken(request)
    }
    if (action !== 'revoke') throw failed(2556, 'Not implemented')
    useNonce(request)
    const person = people.find(({ id }) => id === first(formOf(request), 'userid'))
    if (person === undefined) throw failed(503, 'Invalid Params: invalid userid')
    oauth.endAll(secretOf(request).key, person.username)
    return json(200, { status: 0, body: {} })
  }

  return {
    routes: { 'POST /v2/signature': getNonce, 'POST /v2/oauth2': oauth2 },
    register: (registration) => {
      const made = oauth.register(registration)
      secrets.set(made.key, made.secret)
      return made
    },
  }
}
