import type { HandleResolution, Home } from '#kit/auth/auth.ts'
import { trimEndOf } from '#platform/formats/trim-end.ts'
import { authorizationServerOf } from '../addresses/discover.ts'
import { UpstreamError } from '../request/errors.ts'
import { parseObject } from '../request/parse-object.ts'
import { responseFailure } from '../request/response-failure.ts'
import { type Upstream, withDeadline } from '../request/send.ts'

/** Where a person signs in, and who they must turn out to be. */
export interface ResolvedPerson {
  subject: string
  issuer: string
}

/** Limit: time for all look-ups of one handle together; then the sign-in fails. */
const MAX_RESOLUTION_MS = 20_000
/** Limit: bytes of a document that names the subject of a handle; a longer one fails the sign-in. */
const MAX_SUBJECT_BYTES = 2048
/** Limit: bytes of a person's public record; a longer one fails the sign-in. */
const MAX_RECORD_BYTES = 64 * 1024

/**
 * Finds the authorization server of a person by handle or DID. A handle counts only if the public record of the subject
 * names it too: otherwise a domain could claim to be anybody.
 */
export async function resolvePerson(upstream: Upstream, home: Home, name: string): Promise<ResolvedPerson> {
  const { handle: rule } = home
  const bounded = withDeadline(upstream, MAX_RESOLUTION_MS)
  const handle = name.startsWith('did:') ? undefined : name
  if (rule === undefined) throw unresolved('The service has no handles')
  const subject = handle === undefined ? name : await subjectOf(bounded, rule, handle)
  const document = await publicRecord(bounded, home, subject)
  if (handle !== undefined && !reading(() => rule.isNamed(document, handle)))
    throw unresolved('The person’s public record does not name this handle')
  const server = reading(() => home.read(document, subject))
  if (server === undefined) throw unresolved('The person’s public record names no server')
  return { subject, issuer: await authorizationServerOf(bounded, trimEndOf(server, '/'), 'person') }
}

/** By DNS, else by a document at the domain. Two answers that differ are refused by nobody: DNS comes first (atproto). */
async function subjectOf(upstream: Upstream, rule: HandleResolution, handle: string): Promise<string> {
  const texts = await upstream.resolveTxt(rule.record(handle))
  const named = rule.fromRecord(texts)
  if (named !== undefined) return named
  const url = rule.document(handle)
  const reply = await upstream.send({ method: 'GET', url, trust: 'person', maxBytes: MAX_SUBJECT_BYTES })
  const subject = reply.text.trim()
  if (reply.status !== 200 || !/^did:[a-z]+:[a-zA-Z0-9.%:-]+$/.test(subject))
    throw unresolved('The handle leads to nobody')
  return subject
}

async function publicRecord(upstream: Upstream, home: Home, subject: string): Promise<unknown> {
  const url = reading(() => home.document(subject))
  const reply = await upstream.send({ method: 'GET', url, trust: 'person', maxBytes: MAX_RECORD_BYTES })
  if (reply.status !== 200)
    throw responseFailure(reply, { what: 'public record', nowMs: upstream.clock.now(), refused: 'stop' })
  return parseObject(reply.text)
}

/** The connector reads what strangers wrote. */
function reading<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    throw new UpstreamError('stop', 'The person’s public record could not be read', {
      reason: 'handle_unresolved',
      cause: error,
    })
  }
}

const unresolved = (message: string): UpstreamError =>
  new UpstreamError('stop', message, { reason: 'handle_unresolved' })
