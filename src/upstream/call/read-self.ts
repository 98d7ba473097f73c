import { idSuffix } from '#kit/auth/ask.ts'
import { type Credential, typedFieldsOf } from '#kit/auth/auth.ts'
import type { FurtherSelfCall, Self, SelfCall } from '#kit/auth/self.ts'
import { isOnNamedServer, nativeIdOn } from '#kit/auth/server-native-id.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { BodyFormat } from '#kit/endpoints/pages.ts'
import { encodeBody } from '#kit/endpoints/request-body.ts'
import { storableText } from '#platform/formats/storable-text.ts'
import { type LosslessJson, parseLossless, stringifyLossless } from '../body/lossless-json.ts'
import { readBody } from '../body/read-body.ts'
import { UpstreamError } from '../request/errors.ts'
import { fillParameters, fillPlaceholders } from '../request/fill-placeholders.ts'
import { isObject, parseFields } from '../request/parse-object.ts'
import { responseFailure } from '../request/response-failure.ts'
import type { UpstreamResponse } from '../request/send.ts'
import { callService, type ServiceCall, type ServiceCaller, type ServiceResponse } from './call-service.ts'
import { readSource } from './read-source.ts'

/** Limit: bytes of the response that identifies the person; a longer one fails the sign-in. */
const MAX_BYTES = 1024 * 1024
/** Limit: bytes of a source that is read without sign-in, such as a feed; a longer one fails the sign-in. */
const MAX_SOURCE_BYTES = 5 * 1024 * 1024

/** Reads from the service whose credential this is. */
export async function readSelf(caller: ServiceCaller): Promise<{ self: Self; raw: string }> {
  const { connector, credential } = caller
  const raw = await recordOf(caller)
  if (connector.auth.kind === 'none') {
    const source = readSource(connector, connector.auth, credential.instance ?? {}, raw)
    return { ...source, self: storableSelf(source.self) }
  }
  const { self, ids } = parseSelf(connector, raw)
  checkSubject(connector, credential.subject, ids)
  return { self: storableSelf({ ...self, id: qualifiedId(connector, credential, self.id) }), raw }
}

function recordOf(caller: ServiceCaller): string | Promise<string> {
  const { from } = caller.connector.self
  if (from === 'key') return proveKey(caller)
  return from === 'call' ? callForRecord(caller) : recordOfSignIn(caller)
}

/** What the service says to a key that names nobody is not a record of a person, so it is not kept. */
async function proveKey(caller: ServiceCaller): Promise<string> {
  const { connector, credential } = caller
  const reply = await callSelf(caller, connector.self)
  if (reply.status < 200 || reply.status > 299 || isRefusal(connector, reply)) throw selfFailure(caller, reply)
  const label = credential.instance?.['label']
  return JSON.stringify(label === undefined ? {} : { label })
}

/** An id is never changed, because two people could get the same one; what is only shown is. */
function storableSelf(self: Self): Self {
  if (storableText(self.id) !== self.id)
    throw new UpstreamError('stop', 'The service’s id of the person has a character that cannot be stored', {
      reason: 'unexpected_answer',
    })
  const texts = Object.entries(self).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? storableText(value) : value,
  ])
  return Object.fromEntries(texts) as Self
}

/** With the instance. It comes from the address that was called, never from what it says about itself. */
function qualifiedId(connector: Connector, { instance, facts }: Credential, id: string): string {
  const { auth } = connector
  return isOnNamedServer(auth) ? nativeIdOn(auth, instance ?? {}, id) : `${id}${idSuffix(connector, instance, facts)}`
}

/** The person's record by calling the service; the answers of further calls are added to it under their names. */
async function callForRecord(caller: ServiceCaller): Promise<string> {
  const { self, api } = caller.connector
  const reply = await callSelf(caller, self)
  if (!isAnswer(reply)) throw selfFailure(caller, reply)
  if (api.recovery !== undefined && isRefusal(caller.connector, reply)) throw selfFailure(caller, reply)
  const text = asJson(reply.text, self.parse)
  const further = await furtherAnswers(caller, text, reply.url)
  return Object.keys(further).length === 0 ? text : withFurther(text, further)
}

/** 207: several results, as WebDAV has them. */
const isAnswer = ({ status }: UpstreamResponse): boolean => status === 200 || status === 207

/** Records are stored as JSON, whatever the service sends. */
function asJson(text: string, format: BodyFormat): string {
  if (format === 'json') return text
  try {
    return stringifyLossless(readBody(text, format))
  } catch (error) {
    throw unreadable(error)
  }
}

async function furtherAnswers(
  caller: ServiceCaller,
  record: string,
  recordUrl: string,
): Promise<Record<string, LosslessJson>> {
  const further: Record<string, LosslessJson> = {}
  for (const [name, call] of Object.entries(caller.connector.self.also)) {
    const answer = await answerOf(caller, call, { record, recordUrl })
    if (answer !== undefined) further[name] = answer
  }
  return further
}

/** Undefined if the service does not answer: who the person is does not depend on it. */
async function answerOf(
  caller: ServiceCaller,
  call: FurtherSelfCall,
  { record, recordUrl }: { record: string; recordUrl: string },
): Promise<LosslessJson | undefined> {
  try {
    const { path } = call
    const link = typeof path === 'string' ? undefined : path(parseLossless(record) as never)
    if (typeof path !== 'string' && link === undefined) return undefined
    const url = link === undefined ? undefined : new URL(link, recordUrl).href
    const reply = await callSelf(caller, { ...call, path: typeof path === 'string' ? path : '' }, url)
    return isAnswer(reply) ? readBody(reply.text, call.parse ?? 'json') : undefined
  } catch (error) {
    caller.upstream.log.debug('a further call about the person failed', { service: caller.connector.service, error })
    return undefined
  }
}

function withFurther(text: string, further: Record<string, LosslessJson>): string {
  const record = parseRecord(text)
  return isObject(record) ? stringifyLossless({ ...record, ...further }) : text
}

/** `url` instead of the path: on the origin of the API only. */
function callSelf(caller: ServiceCaller, call: SelfCall, url?: string): Promise<ServiceResponse> {
  const { connector, credential } = caller
  return callService(caller, {
    ...selfRequestOf(connector, call, credential),
    url,
    maxBytes: connector.auth.kind === 'none' ? MAX_SOURCE_BYTES : MAX_BYTES,
  })
}

/** What the sign-in itself said. A token that was handed in has no such record. */
function recordOfSignIn({ connector, credential }: ServiceCaller): string {
  const { subject, facts, claims } = credential
  if (connector.self.from === 'id_token' && claims !== undefined) return JSON.stringify(claims)
  if (connector.self.from === 'token' && subject !== undefined) return JSON.stringify({ ...facts, sub: subject })
  throw new UpstreamError('stop', 'The token response does not name the person', { reason: 'subject_missing' })
}

function selfFailure({ connector, credential, key, upstream }: ServiceCaller, reply: UpstreamResponse): UpstreamError {
  const secrets = [key.secret, credential.token, credential.tokenSecret, ...Object.values(credential.fields ?? {})]
  const nowMs = upstream.clock.now()
  const failure = responseFailure(reply, { what: 'identity', nowMs, refused: 'reauthorize', secrets })
  return isRefusal(connector, reply)
    ? new UpstreamError('reauthorize', failure.message, { reason: 'service_refused', status: reply.status })
    : failure
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

function selfRequestOf(connector: Connector, call: SelfCall, { subject, instance }: Credential): ServiceCall {
  const { path, host, query = {}, headers = {}, body, method = 'GET' } = call
  if (subject === undefined && [path, ...Object.values(query)].some((text) => text.includes('{sub}')))
    throw new UpstreamError('stop', 'The token response does not name the person', { reason: 'subject_missing' })
  const typed = typedFieldsOf(connector.auth) === undefined ? {} : instance
  const values: Record<string, string> = { ...typed, ...(subject === undefined ? {} : { sub: subject }) }
  const encoded = body && encodeBody(body, values)
  return {
    method,
    path: fillPlaceholders(path, values, encodeURIComponent),
    host,
    query: fillParameters(query, values),
    headers: { ...(encoded && { 'content-type': encoded.type }), ...headers },
    body: encoded?.text,
  }
}

/** The person, and every id that the service has for them. */
function parseSelf(connector: Connector, text: string): { self: Self; ids: string[] } {
  const body = parseRecord(text)
  let self: Self
  let other: string | undefined
  try {
    self = connector.self.read(body)
    other = connector.self.alsoKnownAs?.(body)
  } catch (cause) {
    const message = 'The connector failed to read the service’s record of the person'
    throw new UpstreamError('retry', message, { reason: 'connector_fault', cause })
  }
  const given: unknown = self.id
  if (given !== undefined && given !== null && typeof given !== 'string')
    throw new UpstreamError('stop', `The connector’s id of the person is a ${typeof given} instead of a text`, {
      reason: 'connector_fault',
    })
  if (typeof self.id === 'string' && !['', 'undefined', 'null', '[object Object]'].includes(self.id))
    return { self, ids: other === undefined ? [self.id] : [self.id, other] }
  throw new UpstreamError('stop', 'The service’s record of the person has no id', { reason: 'self_without_id' })
}

function parseRecord(text: string): LosslessJson {
  try {
    return parseLossless(text)
  } catch (error) {
    throw unreadable(error)
  }
}

const unreadable = (cause: unknown): UpstreamError =>
  new UpstreamError('retry', 'The service’s record of the person could not be read', {
    reason: 'answer_unreadable',
    cause,
  })
