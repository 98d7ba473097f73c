import type { Ask, AskField } from '../auth/ask.ts'
import { type Auth, apiKey, basic, oauth1, oauth2, type TokenPlacement } from '../auth/auth.ts'
import { type SelfReader, self, selfFromKey, selfFromToken } from '../auth/self.ts'
import { type Typed, type TypedExchange, type TypedField, typed } from '../auth/typed.ts'
import type { TypedJwt, TypedSignature } from '../auth/typed-signing.ts'
import { type Api, type Connector, defineConnector, type RateWindow } from '../connector/connector.ts'
import { rateFrom } from '../connector/rate.ts'
import type { Tenants } from '../read/facts.ts'
import { textAt } from '../read/value-at.ts'
import type { Entry } from './entry-schema.ts'

type OAuth2Entry = Extract<Entry['auth'], { oauth2: unknown }>['oauth2']
type TypedEntry = Extract<Entry['auth'], { typed: unknown }>['typed']
type Place = NonNullable<OAuth2Entry['place']>

/** The definition that an entry stands for: sign-in, who the person is, and the proxy. Nothing is synced. */
export function expandEntry(service: string, entry: Entry): Connector {
  const { title, docs, aliases = [], settings = {}, category, conditions = [], callback } = entry
  const namesNobody = 'proof' in entry.self
  return defineConnector({
    service,
    title,
    docs,
    aliases,
    category,
    conditions,
    callback,
    auth: authOf(entry, namesNobody),
    ...(entry.ask === undefined ? {} : { ask: askOf(entry.ask) }),
    api: apiOf(entry),
    self: selfOf(entry.self),
    ...(namesNobody ? { vouchedBy: 'nobody' } : {}),
    settings: Object.entries(settings).map(([name, { title: label, required, secret }]) => ({
      name,
      title: label,
      ...(required === undefined ? {} : { required }),
      ...(secret === undefined ? {} : { secret }),
    })),
  })
}

function askOf(ask: NonNullable<Entry['ask']>): Ask {
  return Object.fromEntries(
    Object.entries(ask).map(([name, { kind, of, pattern, hint, ...rest }]): [string, AskField] => {
      return [
        name,
        {
          ...(definedParts(rest) as Pick<AskField, 'title' | 'example'>),
          kind: kind === 'choice' ? 'text' : kind,
          ...(pattern === undefined ? {} : { pattern: matcherOf(pattern) }),
          ...(of === undefined ? {} : { of }),
          ...(hint === undefined ? {} : { hint }),
          // The same id at another company or in another region may be somebody else; what may be left out names neither.
          qualifiesIds: rest.optional !== true,
        },
      ]
    }),
  )
}

const definedParts = (parts: object): object =>
  Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined))

function authOf({ auth, api }: Entry, isLabelled: boolean): Auth {
  if ('oauth2' in auth) return oauth2Of(auth.oauth2)
  if ('oauth1' in auth) {
    const { request, authorize, access, signature, scope } = auth.oauth1
    return oauth1({
      requestTokenUrl: bare(request),
      authorizeUrl: bare(authorize),
      accessTokenUrl: bare(access),
      ...(signature === undefined ? {} : { signature }),
      ...(scope === undefined
        ? {}
        : { scopeName: scope.name, scope: { default: scope.default, separator: scope.separator ?? ' ' } }),
    })
  }
  if ('typed' in auth) return typedOf(auth.typed, api, isLabelled)
  if ('basic' in auth) {
    const fields = basic({ name: fieldOf(auth.basic.name ?? {}), password: fieldOf(auth.basic.password ?? {}) }).fields
    if (!isLabelled) return { kind: 'basic', fields }
    return labelled({ fields, placement: { basic: { name: '{name}', password: '{password}' } }, account: 'name' })
  }
  const { place, field = {} } = auth.key
  const { fields } = apiKey(placementOf(place), fieldOf(field))
  if (!isLabelled) return { kind: 'api_key', tokenPlacement: placementOf(place), fields }
  const value = 'header' in place && place.scheme !== undefined ? `${place.scheme} {token}` : '{token}'
  const placement = 'header' in place ? { headers: { [place.header]: value } } : { query: { [place.query]: value } }
  return labelled({ fields: { ...fields }, placement })
}

/** A key that names nobody is known by what the person calls it. */
function labelled(input: Omit<Typed, 'kind'>): Typed {
  const label: TypedField = { title: 'Label', optional: true, hint: 'What you call this key, if you have several.' }
  return typed({ ...input, fields: { ...input.fields, label } })
}

function typedOf(
  { fields, headers, query, basic: pair, exchange, jwt, sign }: TypedEntry,
  { base }: Entry['api'],
  isLabelled: boolean,
): Typed {
  const input: Omit<Typed, 'kind'> = {
    fields: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldOf(field) as TypedField])),
    placement: {
      ...(headers === undefined ? {} : { headers: bareTexts(headers) }),
      ...(query === undefined ? {} : { query: bareTexts(query) }),
      ...(pair === undefined ? {} : { basic: pairOf(pair) }),
    },
    ...(exchange === undefined ? {} : { exchange: exchangeOf(exchange, base) }),
    ...(jwt === undefined ? {} : { jwt: jwtOf(jwt) }),
    ...(sign === undefined ? {} : { sign: signatureOf(sign) }),
  }
  return isLabelled ? labelled(input) : typed(input)
}

function jwtOf({ lifetime, key, header, claims, algorithm }: NonNullable<TypedEntry['jwt']>): TypedJwt {
  const named = header === undefined ? {} : { header: bareTexts(header) }
  return { algorithm, key: bare(key), ...named, claims: bareTexts(claims), lifetimeS: lifetime }
}

function signatureOf(sign: NonNullable<TypedEntry['sign']>): TypedSignature {
  if ('hmac' in sign) {
    const { key, over, headers, ...rest } = sign.hmac
    return { kind: 'hmac', ...rest, key: bare(key), over: bare(over), headers: bareTexts(headers) }
  }
  const { id, secret, session, region, service } = sign.sigv4
  const temporary = session === undefined ? {} : { session: bare(session) }
  return { kind: 'sigv4', id: bare(id), secret: bare(secret), ...temporary, region: bare(region), service }
}

function exchangeOf(
  {
    url,
    method,
    form,
    json,
    headers,
    basic: pair,
    token,
    expires,
    expires_at: expiresAt,
    refused,
  }: NonNullable<TypedEntry['exchange']>,
  base: string,
): TypedExchange {
  return {
    // Below the API where that is on a server that the person typed.
    ...(url.startsWith('{') ? { path: bare(url.slice(base.length)) } : { url: bare(url) }),
    token,
    ...(method === undefined ? {} : { method }),
    ...(form === undefined ? {} : { form: bareTexts(form) }),
    ...(json === undefined ? {} : { json: bareTexts(json) }),
    ...(headers === undefined ? {} : { headers: bareTexts(headers) }),
    ...(pair === undefined ? {} : { basic: pairOf(pair) }),
    ...(expires === undefined ? {} : { expiresIn: expires }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(refused === undefined ? {} : { refusedWith: refused }),
  }
}

const pairOf = ([name, password]: readonly [string, string]) => ({ name: bare(name), password: bare(password) })

type Declared = TypedEntry['fields'][string]
type FieldEntry = { [Name in keyof Declared]?: Declared[Name] | undefined }

function fieldOf({ pattern, ...field }: FieldEntry): Partial<TypedField> {
  const set = Object.fromEntries(
    Object.entries(field).filter(([, value]) => value !== undefined),
  ) as Partial<TypedField>
  return pattern === undefined ? set : { ...set, pattern: matcherOf(pattern) }
}

function oauth2Of(entry: OAuth2Entry): Auth {
  const { params = {}, facts = {}, place } = entry
  const scope = { default: entry.scope ?? [], separator: entry.separator ?? ' ' }
  return oauth2({
    authorizeUrl: bare(entry.authorize),
    tokenUrl: bare(entry.token),
    ...(entry.refresh === undefined ? {} : { refreshUrl: bare(entry.refresh) }),
    ...(entry.revoke === undefined ? {} : { revokeUrl: bare(entry.revoke) }),
    scope,
    tokenAuth: entry.client ?? 'post',
    tokenBody: entry.body ?? 'form',
    pkce: entry.pkce ?? true,
    parameters: {
      ...(params.authorize === undefined ? {} : { authorize: bareTexts(params.authorize) }),
      ...(params.token === undefined ? {} : { token: bareTexts(params.token) }),
    },
    names: Object.fromEntries(Object.entries(entry.names ?? {}).filter(([, name]) => name !== undefined)),
    tokenPath: entry.at?.split('.') ?? [],
    ...(entry.tenants === undefined ? {} : { tenants: tenantsIn(entry.tenants) }),
    facts: Object.fromEntries(
      Object.entries(facts).map(([name, source]) => [
        name,
        'token' in source
          ? { from: 'token' as const, path: source.token }
          : { from: 'callback' as const, name: source.callback },
      ]),
    ),
    ...(place === undefined ? {} : { tokenPlacement: placementOf(place) }),
  })
}

function tenantsIn({ get, ...tenants }: NonNullable<OAuth2Entry['tenants']>): Tenants {
  return { ...(definedParts(tenants) as Omit<Tenants, 'url'>), url: bare(get) }
}

function placementOf(place: Place): TokenPlacement {
  if ('query' in place) return { in: 'query', name: place.query }
  return { in: 'header', scheme: place.scheme ?? '', name: place.header }
}

function apiOf({ api }: Entry): Api {
  const { hosts, headers, query, limits, rate, failed, links } = api
  return {
    ...addressOf(api),
    ...(hosts === undefined ? {} : { hosts }),
    ...(headers === undefined ? {} : { headers: bareTexts(headers) }),
    ...(query === undefined ? {} : { query: bareTexts(query) }),
    ...(limits === undefined ? {} : { limits: limitsOf(limits) }),
    ...(rate === undefined
      ? {}
      : { rate: rateFrom({ remaining: rate.left, reset: rate.reset, unit: rate.unit ?? 'epoch' }) }),
    ...(failed === undefined ? {} : { recovery: recoveryOf(failed) }),
    ...(links === undefined ? {} : { links }),
  }
}

function recoveryOf(failed: NonNullable<Entry['api']['failed']>): NonNullable<Api['recovery']> {
  return ({ status, body }) =>
    failed.find(
      (rule) =>
        (rule.status === undefined || rule.status === status) &&
        (rule.at === undefined || rule.is?.includes(textAt(body, rule.at) ?? '') === true),
    )?.means
}

/** A fact that is the first label of the host stands below the rest of it. An address that begins with a fact is one of `hosts`; the first of them that is a name is what an app's keys may override. */
function addressOf({ base, hosts = [] }: Entry['api']): Pick<Api, 'baseUrl' | 'baseUrlFrom'> {
  const [, label, below, rest = ''] = /^https:\/\/\{fact\.(\w+)\}\.([^/?#{}]+)(.*)$/.exec(base) ?? []
  if (label !== undefined && below !== undefined)
    return {
      baseUrl: bare(`https://api.${below}${rest}`),
      baseUrlFrom: { fact: label, path: bare(rest), hosts: [], below },
    }
  const [, fact, path = ''] = /^\{fact\.(\w+)\}(.*)$/.exec(base) ?? []
  if (fact === undefined) return { baseUrl: bare(base) }
  const names = hosts.map((host) => host.replace('https://', ''))
  const plain = names.find((name) => !name.startsWith('*.')) ?? `api${(names[0] ?? '.invalid').slice(1)}`
  return {
    baseUrl: `https://${plain}${path}`,
    baseUrlFrom: { fact, ...(path === '' ? {} : { path }), hosts: names },
  }
}

function limitsOf({ app, person }: NonNullable<Entry['api']['limits']>): NonNullable<Api['limits']> {
  const windows = (list: readonly (readonly [number, number])[]): RateWindow[] =>
    list.map(([calls, perS]) => ({ calls, perS }))
  return {
    ...(app === undefined ? {} : { app: windows(app) }),
    ...(person === undefined ? {} : { person: windows(person) }),
  }
}

function selfOf(entry: Entry['self']): SelfReader {
  if ('proof' in entry) {
    const { path, query } = partsOf(entry.proof)
    return selfFromKey(path, query)
  }
  const { id, name, handle, email, photo, url } = entry
  const read = Object.fromEntries(
    Object.entries({ id, name, handle, email, photo, url }).filter(([, at]) => at !== undefined),
  ) as { id: string }
  if ('from' in entry) return selfFromToken(read)
  if ('post' in entry)
    return self({ ...partsOf(bare(entry.post)), method: 'POST', body: { json: entry.json ?? {} }, read })
  const at = /^(https:\/\/[^/?#]+)(.*)$/.exec(entry.get)
  const { path, query } = partsOf(bare(at?.[2] ?? entry.get))
  const host = at?.[1]
  return self({
    path,
    ...(host === undefined ? {} : { host }),
    query: { ...query, ...bareTexts(entry.query ?? {}) },
    read,
  })
}

function partsOf(address: string): { path: string; query: Record<string, string> } {
  const [path = '', query = ''] = address.split('?', 2)
  return { path, query: Object.fromEntries(new URLSearchParams(query)) }
}

/** In a definition, answers and typed values stand without the word before them. */
const bare = (text: string): string => text.replaceAll(/\{(?:ask|typed)\.(\w+)\}/g, '{$1}')
const bareTexts = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, bare(text)]))

/** The form of entries allows none that is not linear. */
const matcherOf = (pattern: string): RegExp => new RegExp(pattern)
