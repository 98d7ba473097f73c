import { OWN_TYPES } from '#model/items/types.ts'
import { hasUserInfo } from '#platform/user-info.ts'
import { typedFieldsOf } from '../auth/auth.ts'
import { AUTH_KINDS } from '../auth/auth-kinds.ts'
import { CALLBACK_RULES } from '../auth/callback-rule.ts'
import { checkTypedSigning } from '../auth/signing-faults.ts'
import { isServerFormat } from '../auth/typed-values.ts'
import { addressFaults } from './address-faults.ts'
import type { Connector } from './connector.ts'
import { checkHosts } from './host-faults.ts'
import { linkPathFault } from './link-paths.ts'
import { whoVouches } from './who-vouches.ts'

/** What is wrong with a connector's definition: the field, and what was expected there. */
export interface DefinitionFault {
  field: string
  expected: string
}

type Report = (field: string, expected: string) => void
type Fields = Record<string, unknown>

/** Finds every fault in the default export of an operator's file; the compiler finds them too, but nobody has to use it. */
export function definitionFaults(value: unknown): DefinitionFault[] {
  const faults: DefinitionFault[] = []
  const report: Report = (field, expected) => void faults.push({ field, expected })
  if (!isObject(value)) {
    report('default', 'must come from defineConnector()')
    return faults
  }
  const { service, title, docs, aliases } = value
  if (typeof service !== 'string' || !/^[a-z][a-z0-9-]{0,49}$/.test(service))
    report('service', 'must be lower-case letters, digits and dashes')
  if (typeof title !== 'string' || title === '') report('title', 'must be the name that people see')
  if (typeof docs !== 'string' || !URL.canParse(docs)) report('docs', 'must be the address of the documentation')
  if (!isTextList(aliases)) report('aliases', 'must be a list of names')
  checkAuth(value['auth'], report)
  if (value['callback'] !== undefined && !CALLBACK_RULES.some((rule) => rule === value['callback']))
    report('callback', `must be one of ${CALLBACK_RULES.join(', ')}`)
  checkApi(value['api'], report)
  checkFunctions('self', value['self'], ['read'], 'must come from self()', report)
  if (value['hook'] !== undefined)
    checkFunctions('hook', value['hook'], ['verify', 'people'], 'must have the functions verify and people', report)
  if (!isObject(value['endpoints'])) report('endpoints', 'must be an object of endpoint()')
  else for (const [name, each] of Object.entries(value['endpoints'])) checkEndpoint(name, each, report)
  // Its parts are as expected, so it can be used.
  if (faults.length === 0) {
    checkIdentity(value as unknown as Connector, report)
    checkServers(value as unknown as Connector, report)
    checkTypedSigning(value as unknown as Connector, report)
    for (const { field, expected } of addressFaults(value as unknown as Connector)) report(field, expected)
  }
  return faults
}

/** Where people choose the server, the connector has to say so: its ids are then valid there only, and so is the redirect address. */
function checkServers({ auth, api, ask }: Connector, report: Report): void {
  const texts = [
    ...Object.entries(ask ?? {}).filter(([, { kind, of }]) => kind === 'text' && of === undefined),
    ...Object.entries(typedFieldsOf(auth) ?? {}).filter(([, { format }]) => !isServerFormat(format)),
  ].map(([name]) => name)
  const addresses: [string, unknown][] = [
    ...Object.entries(auth).map(([name, address]): [string, unknown] => [`auth.${name}`, address]),
    ['api.baseUrl', api.baseUrl],
  ]
  for (const [field, address] of addresses) {
    const [, name] = (typeof address === 'string' && ENDS_WITH_ANSWER.exec(address)) || []
    if (name !== undefined && texts.includes(name))
      report(
        field,
        `must not have {${name}} at the end of its host: that would be any server, which only a host or an address names`,
      )
  }
}

const ENDS_WITH_ANSWER = /^[a-z]+:\/\/[^/?#]*\{(\w+)\}(?::\d+)?(?:[/?#]|$)/i

/** An id that is the same for everybody must not be taken for somebody's. */
function checkIdentity(connector: Connector, report: Report): void {
  const { auth, self, vouchedBy } = connector
  const isNamedByToken = self.from === 'token' || self.from === 'id_token'
  if (isNamedByToken && !['oauth2', 'file', 'none'].includes(auth.kind))
    report(
      'self',
      'must call the service: only the token response of OAuth 2 names a person; for a key use selfFromKey()',
    )
  if (self.from === 'key' && vouchedBy !== 'nobody')
    report('vouchedBy', "must be 'nobody' where selfFromKey() only proves the key")
  const isSignIn = auth.kind === 'oauth1' || auth.kind === 'oauth2' || auth.kind === 'app_password'
  if (vouchedBy !== undefined && (vouchedBy !== 'nobody' || isSignIn))
    report('vouchedBy', "can only be 'nobody', where people type a key that does not say whose it is")
  if (whoVouches(connector) !== 'nobody') {
    if (EMPTY_RECORDS.some((record) => namesSomebody(self, record)))
      report('self', "names a person in an empty response; where a key names nobody, set `vouchedBy: 'nobody'`")
    return
  }
  for (const name of ['hook', 'deletion'] as const)
    if (connector[name] !== undefined) report(name, 'must be missing: nobody is known by an id that nobody vouches for')
}

const EMPTY_RECORDS: readonly unknown[] = [{}, [], '']

/** An id that is put together from missing parts names nobody. */
function namesSomebody({ read }: Connector['self'], record: unknown): boolean {
  try {
    const { id } = read(record)
    return typeof id === 'string' && id !== '' && !/undefined|null|NaN|\[object/.test(id)
  } catch {
    // It names nobody.
    return false
  }
}

function checkAuth(auth: unknown, report: Report): void {
  if (!isObject(auth) || !Object.hasOwn(AUTH_KINDS, String(auth['kind']))) {
    report('auth', `must come from ${Object.values(AUTH_KINDS).join(', ')}`)
    return
  }
  const isDiscovered = isObject(auth['discover'])
  const needed: Record<string, string[]> = {
    oauth2: isDiscovered ? [] : ['authorizeUrl', 'tokenUrl'],
    oauth1: ['requestTokenUrl', 'authorizeUrl', 'accessTokenUrl'],
  }
  for (const name of needed[String(auth['kind'])] ?? [])
    if (!isAddress(auth[name])) report(`auth.${name}`, 'must be an address such as https://service.example/token')
  for (const [name, address] of Object.entries(auth)) refuseUserInfo(`auth.${name}`, address, report)
  const home = auth['home']
  const keepsSecret = ['none', 'private_key_jwt'].includes(String(auth['tokenAuth']))
  // The person chooses the server, so it must not get the app's secret.
  if (isObject(home) && home['handle'] !== undefined && !keepsSecret)
    report('auth.tokenAuth', 'must be none or private_key_jwt where people name their server by a handle')
}

function checkApi(api: unknown, report: Report): void {
  if (!isObject(api) || !isAddress(api['baseUrl'])) {
    report('api.baseUrl', 'must be an address such as https://api.service.example')
    return
  }
  refuseUserInfo('api.baseUrl', api['baseUrl'], report)
  checkHosts(api, report)
  for (const name of ['rate', 'recovery'])
    if (api[name] !== undefined && typeof api[name] !== 'function') report(`api.${name}`, 'must be a function')
  const links = api['links'] === undefined ? undefined : linkPathFault(api['links'])
  if (links !== undefined) report('api.links', links)
  checkTokenPlaces(api['tokenPlaces'], report)
  for (const name of ['headers', 'query'])
    if (api[name] !== undefined && !isTextMap(api[name])) report(`api.${name}`, 'must be an object of texts')
}

const TOKEN_PLACES = ['headers', 'query', 'form']
/** Such a header says more than the token, or is never forwarded. */
const NO_TOKEN_HEADER = /^(?:authorization|cookie|host|content-.*|transfer-encoding|connection)$/i

function checkTokenPlaces(places: unknown, report: Report): void {
  if (places === undefined) return
  const lists = isObject(places) ? Object.entries(places) : []
  if (lists.length === 0 || lists.some(([name]) => !TOKEN_PLACES.includes(name)))
    report('api.tokenPlaces', `must have lists of names: ${TOKEN_PLACES.join(', ')}`)
  for (const [name, list] of lists) {
    const isNames = isTextList(list) && list.every((each) => /^[\w.-]+$/.test(each))
    if (!isNames) report(`api.tokenPlaces.${name}`, 'must be a list of names')
    else if (name === 'headers' && list.some((each) => NO_TOKEN_HEADER.test(each)))
      report(
        'api.tokenPlaces.headers',
        'must name headers that carry nothing but a token; Authorization is read anyway',
      )
    else if (name === 'query' && list.includes('paginate'))
      report('api.tokenPlaces.query', 'must not be paginate, which is for the proxy')
  }
}

function checkEndpoint(name: string, value: unknown, report: Report): void {
  const at = `endpoints.${name}`
  if (name === 'self') report(at, 'must have another name: `self` is the person’s own record')
  else if (!/^[a-z][a-z0-9_]*$/.test(name)) report(at, 'must be named with lower-case letters, digits and underscores')
  if (!isObject(value) || typeof value['everyMs'] !== 'number') {
    report(at, 'must come from endpoint()')
    return
  }
  if (typeof value['path'] !== 'string' || !/^(?:\/|$)/.test(value['path']))
    report(`${at}.path`, 'must start with “/”, or be empty')
  if (!['core', 'personal', 'social'].includes(String(value['class'])))
    report(`${at}.class`, 'must be core, personal or social')
  if (!['none', 'window', 'all'].includes(String(value['deletes'])))
    report(`${at}.deletes`, 'must be none, window or all')
  if (!isTextList(value['scope'])) report(`${at}.scope`, 'must be a list of texts')
  for (const field of ['query', 'headers'])
    if (!isTextMap(value[field])) report(`${at}.${field}`, 'must be an object of texts')
  const types: readonly string[] = [...OWN_TYPES, 'contacts']
  if (!isTextList(value['types']) || value['types'].some((type) => !types.includes(type)))
    report(`${at}.types`, `must be a list of ${types.join(', ')}`)
  checkFunctions(`${at}.pages`, value['pages'], ['first', 'next'], 'must come from cursorPages() or another', report)
  if (value['checkpoint'] !== undefined)
    checkFunctions(
      `${at}.checkpoint`,
      value['checkpoint'],
      ['advance', 'query'],
      'must come from since() or another',
      report,
    )
  checkKind(`${at}.kind`, value['kind'], report)
}

function checkKind(at: string, value: unknown, report: Report): void {
  if (!isObject(value)) {
    report(at, 'must come from kind()')
    return
  }
  if (typeof value['name'] !== 'string' || !/^[a-z0-9][a-z0-9._-]*$/.test(value['name']))
    report(`${at}.name`, 'must be lower-case, such as photo')
  if (typeof value['id'] !== 'function') report(`${at}.id`, 'must be a function')
  for (const field of ['at', 'types', 'deleted', 'guid', 'participants', 'place'])
    if (value[field] !== undefined && typeof value[field] !== 'function') report(`${at}.${field}`, 'must be a function')
  const { map } = value
  if (!isObject(map)) report(`${at}.map`, 'must be an object of functions')
  else
    for (const [field, read] of Object.entries(map))
      if (typeof read !== 'function') report(`${at}.map.${field}`, 'must be a function')
}

function checkFunctions(at: string, value: unknown, names: string[], expected: string, report: Report): void {
  if (!isObject(value) || names.some((name) => typeof value[name] !== 'function')) report(at, expected)
}

function isObject(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function isTextMap(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((each) => typeof each === 'string')
}

/** Also in addresses that are optional. */
function refuseUserInfo(field: string, value: unknown, report: Report): void {
  if (typeof value === 'string' && hasUserInfo(filledAddress(value)))
    report(field, 'must not contain a user name or a password')
}

function isAddress(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(filledAddress(value))
}

/** Placeholders such as `{host}` are not valid in an address; one at its beginning stands for a whole address. */
function filledAddress(value: string): string {
  const filled = value.replace(/^\{\w+\}/, 'https://server.example')
  return filled.replaceAll('{', '').replaceAll('}', '')
}
