import { type Credential, typedFieldsOf } from '#kit/auth.ts'
import type { Connector } from '#kit/connector.ts'
import type { Self } from '#kit/self.ts'
import { isOnNamedServer, nativeIdOn } from '#kit/server-native-id.ts'
import { parseLossless } from './body/lossless-json.ts'
import { callService, type ServiceCaller } from './call-service.ts'
import { UpstreamError } from './errors.ts'
import { fillParameters, fillPlaceholders } from './oauth2/placeholders.ts'
import { parseFields } from './parse-object.ts'
import { responseFailure } from './response-failure.ts'
import type { UpstreamResponse } from './send.ts'
import { readSource } from './typed/read-source.ts'

/** Limit: bytes of the response that identifies the person; a longer one fails the sign-in. */
const MAX_BYTES = 1024 * 1024

/** Reads from the service whose credential this is. */
export async function readSelf(caller: ServiceCaller): Promise<{ self: Self; raw: string }> {
  const { connector, credential, key, upstream } = caller
  const { path, query } = selfRequestOf(connector, credential)
  const reply = await callService(caller, { method: 'GET', path, query, maxBytes: MAX_BYTES })
  if (reply.status !== 200) {
    const secrets = [key.secret, credential.token, credential.tokenSecret, ...Object.values(credential.fields ?? {})]
    const nowMs = upstream.clock.now()
    const failure = responseFailure(reply, { what: 'identity', nowMs, refused: 'reauthorize', secrets })
    throw isRefusal(connector, reply)
      ? new UpstreamError('reauthorize', failure.message, { reason: 'service_refused', status: reply.status })
      : failure
  }
  if (connector.auth.kind === 'none')
    return readSource(connector, connector.auth, credential.instance ?? {}, reply.text)
  const { self, ids } = parseSelf(connector, reply.text)
  checkSubject(connector, credential.subject, ids)
  if (!isOnNamedServer(connector.auth)) return { self, raw: reply.text }
  return { self: { ...self, id: nativeIdOn(connector.auth, credential.instance ?? {}, self.id) }, raw: reply.text }
}

/** The service and the token must name the same person; otherwise a person's own server could name any person. */
function checkSubject({ auth }: Connector, subject: string | undefined, ids: readonly string[]): void {
  if (subject === undefined || ids.includes(subject)) return
  const home = auth.kind === 'oauth2' && auth.home !== undefined
  throw new UpstreamError('stop', 'The service names another person than the token does', {
    reason: home ? 'home_mismatch' : 'subject_mismatch',
  })
}

// Some services refuse a token with another status than 401.
function isRefusal(connector: Connector, { status, text, headers }: UpstreamResponse): boolean {
  return connector.api.recovery?.({ status, body: parseFields(text), headers }) === 'reauthorize'
}

function selfRequestOf(connector: Connector, { subject, instance }: Credential) {
  const { path, query } = connector.self
  if (subject === undefined && [path, ...Object.values(query)].some((text) => text.includes('{sub}')))
    throw new UpstreamError('stop', 'The token response does not name the person', { reason: 'subject_missing' })
  const typed = typedFieldsOf(connector.auth) === undefined ? {} : instance
  const values: Record<string, string> = { ...typed, ...(subject === undefined ? {} : { sub: subject }) }
  return { path: fillPlaceholders(path, values, encodeURIComponent), query: fillParameters(query, values) }
}

/** The person, and every id that the service has for them. */
function parseSelf(connector: Connector, text: string): { self: Self; ids: string[] } {
  let self: Self
  let other: string | undefined
  try {
    const body = parseLossless(text)
    self = connector.self.read(body)
    other = connector.self.alsoKnownAs?.(body)
  } catch (error) {
    throw new UpstreamError('retry', 'The service’s record of the person could not be read', {
      reason: 'answer_unreadable',
      cause: error,
    })
  }
  if (typeof self.id === 'string' && !['', 'undefined', 'null', '[object Object]'].includes(self.id))
    return { self, ids: other === undefined ? [self.id] : [self.id, other] }
  throw new UpstreamError('stop', 'The service’s record of the person has no id', { reason: 'self_without_id' })
}
