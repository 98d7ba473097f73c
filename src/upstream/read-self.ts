import type { Connector } from '#kit/connector.ts'
import type { Self } from '#kit/self.ts'
import { parseLossless } from './body/lossless-json.ts'
import { callService, type ServiceCaller } from './call-service.ts'
import { UpstreamError } from './errors.ts'
import { fill, fillAll } from './oauth2/placeholders.ts'
import { parseFields } from './parse-object.ts'
import { responseFailure } from './response-failure.ts'
import type { UpstreamResponse } from './send.ts'

/** Limit: bytes of the response that says who signed in; more fails the sign-in. */
const MAX_BYTES = 1024 * 1024

/** Asks the service whose credential this is. */
export async function readSelf(caller: ServiceCaller): Promise<{ self: Self; raw: string }> {
  const { connector, credential, key, upstream } = caller
  const { path, query } = subjectFilled(connector, credential.subject)
  const reply = await callService(caller, { method: 'GET', path, query, maxBytes: MAX_BYTES })
  if (reply.status !== 200) {
    const secrets = [key.secret, credential.token, credential.tokenSecret]
    const nowMs = upstream.clock.now()
    const failure = responseFailure(reply, { what: 'who is it', nowMs, refused: 'reauthorize', secrets })
    throw isRefusal(connector, reply)
      ? new UpstreamError('reauthorize', failure.message, { reason: 'service_refused', status: reply.status })
      : failure
  }
  const { self, ids } = selfIn(connector, reply.text)
  checkSubject(connector, credential.subject, ids)
  return { self, raw: reply.text }
}

/** Whom the service names must be whom the token names: a person's own server could otherwise name anybody. */
function checkSubject({ auth }: Connector, subject: string | undefined, ids: readonly string[]): void {
  if (subject === undefined || ids.includes(subject)) return
  const home = auth.kind === 'oauth2' && auth.home !== undefined
  throw new UpstreamError('stop', 'The service names another person than the token does', {
    reason: home ? 'home_mismatch' : 'subject_mismatch',
  })
}

// Some services refuse a token with a status that says something else.
function isRefusal(connector: Connector, { status, text, headers }: UpstreamResponse): boolean {
  return connector.api.recovery?.({ status, body: parseFields(text), headers }) === 'reauthorize'
}

function subjectFilled(connector: Connector, subject: string | undefined) {
  const { path, query } = connector.self
  if (subject === undefined && [path, ...Object.values(query)].some((text) => text.includes('{sub}')))
    throw new UpstreamError('stop', 'The service did not say whose token it gave', { reason: 'subject_missing' })
  const fillings: Record<string, string> = subject === undefined ? {} : { sub: subject }
  return { path: fill(path, fillings, encodeURIComponent), query: fillAll(query, fillings) }
}

/** The person, and every id that the service has for the person. */
function selfIn(connector: Connector, text: string): { self: Self; ids: string[] } {
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
