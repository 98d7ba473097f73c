import { SIGNING_WORDS } from '../auth/typed-signing.ts'
import type { DefinitionFault } from '../connector/connector-faults.ts'
import { connectorFault } from '../connector/registry.ts'
import { type Entry, entrySchema } from './entry-schema.ts'
import { expandEntry } from './expand-entry.ts'

/** Where a placeholder may stand, by the path in the entry; everywhere else none may. */
const PLACES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^auth\.oauth2\.(?:authorize|token|refresh|revoke|tenants\.get|id_token\.(?:issuer|jwks))$/, ['ask']],
  [/^auth\.oauth2\.params\.authorize\./, ['ask', 'setting', 'key']],
  [/^auth\.oauth2\.params\.token\./, ['setting', 'key']],
  [/^auth\.oauth1\.(?:request|authorize|access)$/, ['ask']],
  [/^auth\.typed\.(?:headers|query|basic)\./, ['typed', 'token']],
  [/^auth\.typed\.exchange\.url$/, ['typed']],
  [/^auth\.typed\.exchange\.(?:form|json|headers|basic)\./, ['typed', 'jwt']],
  [/^auth\.typed\.jwt\.(?:key|header\..+|claims\..+)$/, ['typed']],
  [/^auth\.typed\.sign\.(?:hmac\.key|sigv4\.(?:id|secret|session|region))$/, ['typed']],
  [/^auth\.typed\.sign\.hmac\.over$/, ['typed', ...SIGNING_WORDS.hmac]],
  [/^auth\.typed\.sign\.hmac\.headers\./, ['typed', ...SIGNING_WORDS.headers]],
  [/^api\.base$/, ['ask', 'typed', 'fact']],
  [/^api\.(?:headers|query)\./, ['ask', 'setting', 'fact', 'key']],
  [/^self\.(?:get|post|proof|query\..+)$/, ['typed', 'fact']],
]
/** Addresses are logged, so only what is not secret may stand in these. */
const IN_ADDRESS = /^(?:auth\.typed\.exchange\.url|api\.base|self\..*)$/

/** Finds every fault of one entry of a file: its form, its placeholders, and what its definition could never do. */
export function entryFaults(service: string, value: unknown): DefinitionFault[] {
  const parsed = entrySchema.safeParse(value)
  if (!parsed.success)
    return parsed.error.issues.map(({ path, message }) => ({ field: path.join('.') || 'entry', expected: message }))
  const entry = parsed.data
  const faults = [...placeholderFaults(entry), ...uselessParts(entry)]
  if (faults.length > 0) return faults
  const fault = definitionFault(service, entry)
  return fault === undefined ? [] : [{ field: 'definition', expected: fault }]
}

function definitionFault(service: string, entry: Entry): string | undefined {
  try {
    return connectorFault(expandEntry(service, entry))
  } catch (error) {
    if (error instanceof RangeError || error instanceof SyntaxError) return error.message
    throw error
  }
}

function placeholderFaults(entry: Entry): DefinitionFault[] {
  const known = knownTo(entry)
  return textsIn(entry).flatMap(([path, text]) => {
    // A body is sent as it is; GraphQL and patterns have braces of their own.
    if (path.startsWith('self.json.') || path.endsWith('.pattern')) return []
    const kinds = PLACES.find(([place]) => place.test(path))?.[1] ?? []
    return [...text.matchAll(/\{([^{}]*)\}?/g)].flatMap(([whole, inner = '']) => {
      const [kind = '', name] = inner.split('.', 2)
      const report = (expected: string) => [{ field: path, expected: `${whole}: ${expected}` }]
      if (!kinds.includes(kind))
        return report(`only ${kinds.map(asPlaceholder).join(', ') || 'no placeholder'} may stand here`)
      if (kind === 'token' && !known.hasExchange) return report('there is no exchange that returns a token')
      if (kind === 'jwt' && !known.hasJwt) return report('there is no token that is signed')
      if (isWord(kind)) return name === undefined ? [] : report('has no parts')
      if (!known[kind as NamedKind].includes(name ?? '')) return report(`nothing fills it; there is no ${kind}.${name}`)
      if (kind === 'typed' && IN_ADDRESS.test(path) && known.secrets.includes(name ?? ''))
        return report('a secret in an address would be logged')
      return []
    })
  })
}

type NamedKind = 'ask' | 'typed' | 'setting' | 'fact'
const WORDS: readonly string[] = ['key', 'token', ...SIGNING_WORDS.all]
const isWord = (kind: string): boolean => WORDS.includes(kind)
const asPlaceholder = (kind: string): string => (isWord(kind) ? `{${kind}}` : `{${kind}.x}`)

function knownTo({
  ask = {},
  settings = {},
  auth,
}: Entry): Record<NamedKind | 'secrets', string[]> & { hasExchange: boolean; hasJwt: boolean } {
  const fields = 'typed' in auth ? auth.typed.fields : {}
  return {
    ask: Object.keys(ask),
    setting: Object.keys(settings),
    fact: 'oauth2' in auth ? Object.keys({ ...auth.oauth2.facts, ...auth.oauth2.tenants?.facts }) : [],
    typed: Object.keys(fields),
    secrets: Object.keys(fields).filter((name) => fields[name]?.secret === true),
    hasExchange: 'typed' in auth && (auth.typed.exchange ?? auth.typed.jwt) !== undefined,
    hasJwt: 'typed' in auth && auth.typed.jwt !== undefined,
  }
}

/** What is declared and can have no effect. */
function uselessParts(entry: Entry): DefinitionFault[] {
  const { ask, auth, api, self } = entry
  const faults: DefinitionFault[] = []
  const report = (field: string, expected: string) => void faults.push({ field, expected })
  const isSignIn = 'oauth2' in auth || 'oauth1' in auth
  if (ask !== undefined && !isSignIn) report('ask', 'is only for OAuth: a field of `auth.typed` asks for it too')
  if ('proof' in self && isSignIn) report('self.proof', 'is only for keys: a sign-in must name the person')
  const oauth2 = 'oauth2' in auth ? auth.oauth2 : undefined
  if ('from' in self && self.from === 'id_token') {
    if (oauth2?.id_token === undefined) report('self.from', 'needs `auth.oauth2.id_token`: how the token is verified')
    if (oauth2?.scope?.includes('openid') !== true) report('auth.oauth2.scope', 'must have `openid`, for an ID token')
    if (self.id !== 'sub') report('self.id', 'must be `sub`: another claim may be of somebody else later')
  }
  const exchange = 'typed' in auth ? auth.typed.exchange?.url : undefined
  if (exchange?.startsWith('{') === true && !exchange.startsWith(`${api.base}/`))
    report('auth.typed.exchange.url', 'must be below `api.base`, where that is on a server that is typed')
  const used = textsIn({ auth, api, self }).map(([, text]) => text)
  const isUsed = (placeholder: string) => used.some((text) => text.includes(placeholder))
  for (const [name, { kind, of }] of Object.entries(ask ?? {})) {
    if (!isUsed(`{ask.${name}}`)) report(`ask.${name}`, 'is asked and never used')
    if ((kind === 'choice') !== (of !== undefined)) report(`ask.${name}.of`, 'is needed for a choice, and only there')
  }
  for (const name of Object.keys(entry.settings ?? {}))
    if (!isUsed(`{setting.${name}}`)) report(`settings.${name}`, 'is set and never used')
  for (const name of Object.keys('oauth2' in auth ? (auth.oauth2.facts ?? {}) : {}))
    if (!isUsed(`{fact.${name}}`)) report(`auth.oauth2.facts.${name}`, 'is kept and never used')
  for (const [name, call] of [
    ['get', 'get' in self ? self.get : ''],
    ['post', 'post' in self ? self.post : ''],
  ] as const)
    if (!/^(?:$|\/|https:\/\/[^/]+\/)/.test(call)) report(`self.${name}`, 'must begin with “/”, or be a full address')
  const tenants = 'oauth2' in auth ? auth.oauth2.tenants : undefined
  for (const name of Object.keys(tenants?.facts ?? {}))
    if (!isUsed(`{fact.${name}}`) && name !== tenants?.id)
      report(`auth.oauth2.tenants.facts.${name}`, 'is kept and never used')
  if (api.base.startsWith('{fact.') && (api.hosts ?? []).length === 0)
    report('api.hosts', 'must name the hosts that the fact may be: the token is sent there')
  return faults
}

/** Every text of an entry, with its path. */
function textsIn(value: unknown, path: string = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]]
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, path === '' ? name : `${path}.${name}`))
}
