import { domainOf } from '../domain.ts'
import { bestProofs, type KeyPlace, labelOf, letters } from './key-facts.ts'

/** An OpenAPI document (2 or 3), as far as it is read. */
export interface OpenApi {
  swagger?: string
  host?: string
  basePath?: string
  servers?: { url?: string }[]
  info?: {
    title?: string
    contact?: { url?: string }
    'x-origin'?: { url?: string }[]
    'x-apisguru-categories'?: string[]
    'x-providerName'?: string
    'x-serviceName'?: string
  }
  externalDocs?: { url?: string }
  security?: Record<string, unknown>[]
  securityDefinitions?: Record<string, Scheme>
  components?: { securitySchemes?: Record<string, Scheme>; parameters?: Record<string, Parameter> }
  parameters?: Record<string, Parameter>
  paths?: Record<string, { get?: Operation; parameters?: Parameter[] }>
}

interface Scheme {
  type?: string
  in?: string
  name?: string
  scheme?: string
  description?: string
}
interface Parameter {
  $ref?: string
  name?: string
  in?: string
  required?: boolean
  example?: unknown
  default?: unknown
  enum?: unknown[]
  schema?: { example?: unknown; default?: unknown; enum?: unknown[] }
}
interface Operation {
  parameters?: Parameter[]
  security?: Record<string, unknown>[]
  responses?: Record<string, unknown>
  'x-ms-trigger'?: unknown
}

export function baseOf({ swagger, host, basePath = '', servers = [] }: OpenApi): string | undefined {
  if (swagger !== undefined) return host === undefined ? undefined : `https://${host}${basePath}`
  return servers[0]?.url
}

/** Where calls carry the key; undefined where there is none, several are needed at once, or people sign in. */
export function placeOf(document: OpenApi, hint: string = ''): { name: string; place: KeyPlace } | undefined {
  const schemes = Object.entries(document.securityDefinitions ?? document.components?.securitySchemes ?? {})
  const alternatives = document.security ?? []
  const isAlone = (name: string) =>
    alternatives.length === 0 || alternatives.some((each) => Object.keys(each).join() === name)
  for (const [name, { type, in: where, name: parameter = '', scheme = '', description = '' }] of schemes) {
    if (!isAlone(name)) continue
    if (type === 'http' && scheme.toLowerCase() === 'bearer')
      return { name, place: { header: 'authorization', scheme: 'Bearer' } }
    if (type === 'basic' || (type === 'http' && scheme.toLowerCase() === 'basic')) return { name, place: 'basic' }
    if (type !== 'apiKey') continue
    if (where === 'query' && /^[\w.[\]-]+$/.test(parameter)) return { name, place: { query: parameter } }
    if (where !== 'header' || !/^[A-Za-z][\w-]*$/.test(parameter)) continue
    if (/^(?:authorization|bearer)$/i.test(parameter)) return { name, place: schemeIn(`${description} ${hint}`) }
    return { name, place: { header: parameter.toLowerCase() } }
  }
  return undefined
}

/** Descriptions of a key in `Authorization` often say what precedes it. */
function schemeIn(description: string): KeyPlace {
  const [, scheme] =
    /[`'"“:( ](Bearer|Token|ApiKey|Api-Key|apikey|Key)[ :]+(?:[{<[`'"“*]|your|the|x{3}|\.\.\.|api|access|token)/i.exec(
      ` ${description}`,
    ) ?? []
  if (scheme === undefined || /token token=|token="/i.test(description)) return 'unclear'
  return { header: 'authorization', scheme: scheme.toLowerCase() === 'bearer' ? 'Bearer' : scheme }
}

/** GET calls that need the key and nothing else, or parameters for which the document has an example. */
export function proofsIn(document: OpenApi, scheme: string, place: KeyPlace): string[] {
  const isDeclared =
    document.security !== undefined ||
    Object.values(document.paths ?? {}).some(({ get }) => get?.security !== undefined)
  const key = typeof place === 'object' ? ('query' in place ? place.query : place.header) : 'authorization'
  const free = Object.entries(document.paths ?? {}).flatMap(([path, { get, parameters = [] }]) => {
    if (get === undefined || path.includes('{') || get['x-ms-trigger'] !== undefined) return []
    const needed = get.security ?? document.security ?? []
    if (isDeclared && !needed.some((each) => Object.keys(each).join() === scheme)) return []
    const wanted = [...parameters, ...(get.parameters ?? [])]
      .map((given) => resolved(document, given))
      .filter((each) => each.required === true && each.name?.toLowerCase() !== key.toLowerCase())
    const query = wanted.map((each) => [each.name ?? '', exampleOf(each)] as const)
    if (query.some(([, value]) => value === undefined)) return []
    const refuses = ['401', '403'].some((status) => status in (get.responses ?? {}))
    const search = query.length === 0 ? '' : `?${new URLSearchParams(query as [string, string][]).toString()}`
    return [{ path, search, refuses }]
  })
  const proofs = (list: typeof free, refuses: boolean = false) =>
    bestProofs(
      list.map(({ path }) => path),
      refuses,
    ).map((path) => path + list.find((each) => each.path === path)!.search)
  const plain = free.filter(({ search }) => search === '')
  const refusing = free.filter(({ refuses }) => refuses)
  return [
    ...new Set([
      ...proofs(plain.filter(({ refuses }) => refuses)),
      ...proofs(plain),
      ...proofs(free),
      // The document says that these refuse a wrong key, whatever their names say.
      ...(isDeclared ? proofs(refusing, true) : []),
    ]),
  ]
}

/** Of a parameter of the query: what the document gives as an example, in letters that need no more care. */
function exampleOf({ in: where, example, default: standard, enum: of, schema }: Parameter): string | undefined {
  if (where !== 'query') return undefined
  const value = [example, standard, schema?.example, schema?.default, of?.[0], schema?.enum?.[0]].find(
    (each) => each !== undefined,
  )
  const isPlain = (typeof value === 'string' && /^[\w.@:-]{1,40}$/.test(value)) || typeof value === 'number'
  return isPlain ? String(value) : undefined
}

function resolved({ parameters, components }: OpenApi, given: Parameter): Parameter {
  if (given.$ref === undefined) return given
  const name = given.$ref.split('/').at(-1)!
  // What cannot be read is taken as needed.
  return parameters?.[name] ?? components?.parameters?.[name] ?? { required: true }
}

/**
 * A description is the vendor's own where it comes from the domain that the API is on, or from the vendor's organization at GitHub, or where
 * the vendor is named as its publisher: `example`, `Example Inc.` and `example-api` for `api.example.com`.
 */
export function isPublishedByVendor(base: string, origins: readonly string[], publishers: readonly string[]): boolean {
  const label = letters(labelOf(base))
  if (label.length < 3) return false
  return (
    origins.some((origin) => {
      const [, organization] = /^https:\/\/(?:raw\.githubusercontent|github)\.com\/([\w-]+)\//.exec(origin) ?? []
      if (organization !== undefined) return isNamed(organization, label)
      return URL.canParse(origin) && domainOf(origin) === domainOf(base)
    }) || publishers.some((publisher) => isNamed(publisher, label))
  )
}

const SUFFIX =
  /(?:apis?|inc|ltd|llc|gmbh|ab|bv|sa|as|ag|corp|corporation|company|limited|hq|io|com|dev|labs?|ai|app|software|group|technologies|co|plc|srl|pty|team|official)$/

/** Whether an organization's name is the label of a domain, besides words such as Inc. */
function isNamed(organization: string, label: string): boolean {
  let name = letters(organization)
  for (;;) {
    if (name === label) return true
    const shorter = name.replace(SUFFIX, '')
    if (shorter === name || shorter === '') return false
    name = shorter
  }
}
