import type { Auth, Credential, Home } from '#kit/auth.ts'
import { trimEndOf } from '#platform/trim-end.ts'
import { UpstreamError } from '../errors.ts'
import { parseObject } from '../parse-object.ts'
import { responseFailure } from '../response-failure.ts'
import type { Upstream } from '../send.ts'
import type { ServiceKey } from '../service-key.ts'
import { authorizationServerOf } from './discover.ts'

/** How to find a person's own instance; undefined where all live on one, or the key says where the API is. */
export function homeOf(auth: Auth, key: ServiceKey): Home | undefined {
  return auth.kind === 'oauth2' && key.overrides['api_url'] === undefined ? auth.home : undefined
}

/**
 * The credential with the address of the person's own instance. That instance must trust the server that gave the token:
 * otherwise any server could claim to speak for anybody.
 */
export async function withHome(
  upstream: Upstream,
  { home, credential, issuer }: { home: Home; credential: Credential; issuer: string | undefined },
): Promise<Credential> {
  const { subject } = credential
  if (subject === undefined) throw lost('The service did not say whose token it gave')
  const url = readable(() => home.document(subject))
  const reply = await upstream.send({ method: 'GET', url, maxBytes: 64 * 1024 })
  if (reply.status !== 200)
    throw responseFailure(reply, { what: 'public record', nowMs: upstream.clock.now(), refused: 'stop' })
  const instance = trimEndOf(
    readable(() => home.read(parseObject(reply.text), subject)),
    '/',
  )
  if ((await authorizationServerOf(upstream, instance)) !== issuer)
    throw lost('The person’s own instance does not trust the server that gave the token')
  return { ...credential, instance: { ...credential.instance, api_url: `${instance}${home.apiPath}` } }
}

function readable(read: () => string | undefined): string {
  let value: string | undefined
  try {
    value = read()
  } catch (error) {
    throw new UpstreamError('stop', 'The person’s public record could not be read', {
      reason: 'home_mismatch',
      cause: error,
    })
  }
  if (value === undefined) throw lost('The person’s public record names no instance')
  return value
}

const lost = (message: string): UpstreamError => new UpstreamError('stop', message, { reason: 'home_mismatch' })
