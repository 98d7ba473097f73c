import { trimEndOf } from '#platform/formats/trim-end.ts'
import type { Auth } from './auth.ts'
import { tenantSuffix, tenantsOf } from './tenants.ts'
import { matchesWhole } from './typed-values.ts'

/**
 * A question to the person before the sign-in: on which server, in which shop. The app may give the answer as a parameter
 * of that name; otherwise Tributary asks on a page. `{name}` in addresses, headers and parameters of the connector is
 * replaced by the answer.
 */
export interface AskField {
  /** The label on the page. */
  title: string
  example: string
  /** One more sentence below the field. */
  hint?: string
  /**
   * `host`: the name of a server; scheme, path and a user name before it are removed. `handle`: a domain name or a DID
   * that names a person. `text`: letters, digits, `-` and `_`, unless `pattern` says otherwise.
   */
  kind: 'host' | 'handle' | 'text'
  /** For `text`: what the whole answer must match. Characters that end a host name or a path are refused whatever it allows. */
  pattern?: RegExp
  /** For `text`: the answers that there are, such as the regions of a service. */
  of?: readonly string[]
  /** For `text`: what stands before and after the answer, such as `.service.example`; shown beside the field. People may type it too. */
  prefix?: string
  suffix?: string
  /** The answer of a person who leaves it empty. */
  default?: string
  /** The person may leave it empty: then parameters and headers that have it are left out. */
  optional?: boolean
  /** Another parameter of the app that has the same meaning, e.g. `login_hint`. */
  alsoNamed?: string
  /**
   * Ids of people are unique on one server only, so `@` and this answer are added to the native id. Always so for `host`, unless
   * `home` of the sign-in verifies ids by a public record: any server can claim any id.
   */
  qualifiesIds?: boolean
}

export type Ask = Readonly<Record<string, AskField>>

/** What the person or the app answered, by the name of the field, normalised. */
export type Answers = Readonly<Record<string, string>>

/** Limit: characters of an answer to a question before the sign-in; a longer one is refused. */
const MAX_ANSWER = 300
/** Limit: characters of a host name (RFC 1035); a longer one is refused. */
const MAX_HOST = 253

/** The answer in its normal form; undefined if it is not one. */
export function readAnswer(field: AskField, given: string): string | undefined {
  const text = given.normalize('NFC').replaceAll(/[\p{C}\s]/gu, '')
  if (text === '' || given.length > MAX_ANSWER) return undefined
  if (field.kind === 'host') return hostIn(text)
  if (field.kind === 'handle') return handleIn(text)
  if (field.of !== undefined) return field.of.includes(text) ? text : undefined
  const answer = withoutAffixes(field, text)
  return !ENDS_PLACE.test(answer) && matchesWhole(field.pattern ?? /[\w-]+/, answer) ? answer : undefined
}

/** `acme` in `https://acme.service.example/inbox`, which people copy from their browser. A text without the suffix stays as it is. */
function withoutAffixes({ prefix = '', suffix = '' }: AskField, text: string): string {
  const isAffixed = prefix !== '' || suffix !== ''
  const name = isAffixed ? (text.replace(/^https?:\/\//i, '').split(/[/?#]/, 1)[0] ?? '') : text
  const [small, before, after] = [name, prefix, suffix].map((each) => each.toLowerCase()) as [string, string, string]
  const isWhole = small.startsWith(before) && small.endsWith(after) && name.length > prefix.length + suffix.length
  const answer = isWhole ? name.slice(prefix.length, name.length - suffix.length) : text
  // A part of a host: two spellings must not be two places.
  return suffix.startsWith('.') ? answer.toLowerCase() : answer
}

/** What could end the host or the path that a text stands in: then the answer would choose the server. */
const ENDS_PLACE = /[/?#\\@:%]/

/** A host in lower case and in its ASCII form, from what people paste: `https://Mastodon.Social/@ada`, `@ada@mastodon.social`. */
function hostIn(text: string): string | undefined {
  const withoutScheme = /^(?:https?:\/\/|acct:)?(.*)$/i.exec(text)?.[1] ?? ''
  const authority = withoutScheme.split(/[/?#\\]/, 1)[0] ?? ''
  const url = URL.parse(`https://${authority.slice(authority.lastIndexOf('@') + 1)}`)
  if (url === null || url.hostname.length > MAX_HOST) return undefined
  const name = trimEndOf(url.hostname, '.')
  const isName = isDomainName(name) || isLoopbackHost(name) || /^[\d.]+$/.test(name) || /^\[[0-9a-f:]+\]$/.test(name)
  return isName ? `${name}${url.port === '' ? '' : `:${url.port}`}` : undefined
}

/** A domain name in lower case without `@`, or a DID as it is. */
function handleIn(text: string): string | undefined {
  if (/^did:(?:plc|web):[a-zA-Z0-9.%-]+$/.test(text)) return text
  const name = (text.startsWith('@') ? text.slice(1) : text).toLowerCase()
  const isNumeric = /^[\d.]+$/.test(name)
  return isDomainName(name) && !isNumeric ? name : undefined
}

function isDomainName(name: string): boolean {
  const labels = name.split('.')
  return (
    name.length <= MAX_HOST &&
    labels.length > 1 &&
    labels.every((label) => /^[a-z0-9-]{1,63}$/.test(label) && !label.startsWith('-') && !label.endsWith('-'))
  )
}

/** Whether it is this machine. Calls there have no TLS, and the operator must have allowed them. */
export function isLoopbackHost(host: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/.test(host)
}

/** The question for the person's server. */
export function hostFieldOf(ask: Ask | undefined): string | undefined {
  return Object.entries(ask ?? {}).find(([, { kind }]) => kind === 'host')?.[0]
}

/** Names the instance that the answers lead to: all that are filled in, in the order of the questions. */
export function instanceName(ask: Ask | undefined, answers: Answers): string {
  return Object.keys(ask ?? {})
    .map((name) => answers[name] ?? '')
    .join(' ')
    .trim()
}

interface Asking {
  ask?: Ask | undefined
  auth: Auth
}

/** The questions whose answers are a part of native ids. */
function qualifyingNames({ ask, auth }: Asking): string[] {
  const isVerified = auth.kind === 'oauth2' && auth.home !== undefined
  return Object.entries(ask ?? {}).flatMap(([name, { kind, qualifiesIds }]) =>
    qualifiesIds === true || (kind === 'host' && !isVerified) ? [name] : [],
  )
}

/** What is added to native ids on this instance and for this tenant; empty where ids are unique everywhere. */
export function idSuffix(connector: Asking, answers: Answers | undefined, facts?: Answers): string {
  const instance = qualifyingNames(connector).map((name) => `@${answers?.[name] ?? ''}`)
  return `${instance.join('')}${tenantSuffix(connector.auth, facts)}`
}

/** The id that the service itself has for a person. */
export function localIdOf(connector: Asking, nativeId: string): string {
  const parts = qualifyingNames(connector).length + (tenantsOf(connector.auth) === undefined ? 0 : 1)
  let id = nativeId
  for (let i = 0; i < parts && id.lastIndexOf('@') > 0; i++) id = id.slice(0, id.lastIndexOf('@'))
  return id
}

/** Names that a sign-in or a credential uses for something else. */
const RESERVED = new Set([
  'access_token',
  'access_token_url',
  'api_url',
  'authorize_url',
  'base_url',
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'flag',
  'force_login',
  'issuer',
  'key',
  'redirect_uri',
  'redirect_url',
  'registered_as',
  'registration',
  'request_token_url',
  'response_type',
  'revoke_url',
  'scope',
  'secret',
  'service',
  'state',
  'sub',
  'token',
  'token_url',
])

/** Explains what is wrong with the questions of a connector; undefined when nothing is. */
export function askFault(ask: Ask | undefined): string | undefined {
  for (const [name, field] of Object.entries(ask ?? {})) {
    if (!/^[a-z][a-z0-9_]{0,29}$/.test(name) || RESERVED.has(name)) return `\`ask.${name}\`: this name cannot be used`
    if (!['host', 'handle', 'text'].includes(field.kind)) return `\`ask.${name}.kind\` must be host, handle or text`
    if (typeof field.title !== 'string' || field.title === '') return `\`ask.${name}.title\` is missing`
    for (const part of ['example', 'default'] as const) {
      const text: unknown = field[part]
      if (text === undefined && part === 'default') continue
      if (typeof text !== 'string' || readAnswer(field, text) === undefined)
        return `\`ask.${name}.${part}\` must be a valid answer`
    }
    if (field.kind !== 'text' && (field.prefix ?? field.suffix) !== undefined)
      return `\`ask.${name}\`: only a text has a prefix or suffix`
  }
  return undefined
}
