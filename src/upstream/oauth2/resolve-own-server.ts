import type { Auth, Credential, Home } from '#kit/auth/auth.ts'
import { trimEndOf } from '#platform/formats/trim-end.ts'
import { authorizationServerOf } from '../addresses/discover.ts'
import { UpstreamError } from '../request/errors.ts'
import { parseObject } from '../request/parse-object.ts'
import { responseFailure } from '../request/response-failure.ts'
import type { Upstream } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'

/**
 * The rule to find a person's own server; undefined if the service has one for all, or the key overrides the API
 * address.
 */
export function ownServerRule(auth: Auth, key: ServiceKey): Home | undefined {
  return auth.kind === 'oauth2' && key.overrides['api_url'] === undefined ? auth.home : undefined
}

/**
 * Adds the address of the person's own server to the credential. That server must trust the authorization server that
 * issued the token: otherwise any authorization server could issue tokens for any person.
 */
export async function withOwnServer(
  upstream: Upstream,
  { home, credential, issuer }: { home: Home; credential: Credential; issuer: string | undefined },
): Promise<Credential> {
  const { subject } = credential
  if (subject === undefined) throw ownServerMismatch('The token response does not name the person')
  const url = readRequired(() => home.document(subject))
  const reply = await upstream.send({ method: 'GET', url, trust: 'person', maxBytes: 64 * 1024 })
  if (reply.status !== 200)
    throw responseFailure(reply, { what: 'public record', nowMs: upstream.clock.now(), refused: 'stop' })
  const serverUrl = trimEndOf(
    readRequired(() => home.read(parseObject(reply.text), subject)),
    '/',
  )
  if ((await authorizationServerOf(upstream, serverUrl, 'person')) !== issuer)
    throw ownServerMismatch('The person’s own server does not trust the server that issued the token')
  return { ...credential, instance: { ...credential.instance, api_url: `${serverUrl}${home.apiPath}` } }
}

function readRequired(read: () => string | undefined): string {
  let value: string | undefined
  try {
    value = read()
  } catch (error) {
    throw new UpstreamError('stop', 'The person’s public record could not be read', {
      reason: 'home_mismatch',
      cause: error,
    })
  }
  if (value === undefined) throw ownServerMismatch('The person’s public record names no server')
  return value
}

const ownServerMismatch = (message: string): UpstreamError =>
  new UpstreamError('stop', message, { reason: 'home_mismatch' })
