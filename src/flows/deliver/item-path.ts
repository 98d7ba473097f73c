import { OWN_SERVICE } from '#kit/own-items.ts'
import type { Registry } from '#kit/registry.ts'
import { ApiError } from '#model/errors.ts'
import { type Profile, parseProfileName } from '#model/profile.ts'
import type { Query, Selection } from '#model/query.ts'
import { TYPE_NAMES, type TypeName } from '#model/types.ts'

/** Reads the parameters of a path as the API itself reads them; throws what it would answer. */
export type ReadQuery = (parameters: URLSearchParams, nowMs: number) => { query: Query; services: string[] | undefined }

export interface ItemPath {
  takes: (profile: Pick<Profile, 'service' | 'nativeId'>) => boolean
  /** Undefined: every endpoint and type. */
  selection: Selection | undefined
  query: Query
  /** It asks for more than a place: a word, a time, a person. */
  narrows: boolean
}

/** Parameters that choose among items; those that only page, sort or shape an answer mean nothing in a filter. */
const CHOOSING = ['q', 'near', 'participants', 'since', 'until']

/** `*`, `/types/photos?q=cat`, `/services/github/events`, `/services/github/*`: the same paths that read, here as filters. */
export function parseItemPath(registry: Registry, readQuery: ReadQuery, path: string, nowMs: number): ItemPath {
  const bad = (why: string) => new ApiError('bad_body', `filter: “${path}” ${why}.`)
  const cut = path.indexOf('?')
  const [address, search] = cut < 0 ? [path, ''] : [path.slice(0, cut), path.slice(cut + 1)]
  const parameters = new URLSearchParams(search)
  const { query, services } = readParameters(readQuery, parameters, path, nowMs)
  const shared = {
    query: {
      ...query,
      // What comes later is wanted too, and how many or in which order means nothing here.
      until: parameters.has('until') ? query.until : Number.MAX_SAFE_INTEGER,
      since: parameters.has('since') ? query.since : Number.MIN_SAFE_INTEGER,
      before: undefined,
      dedup: false,
    },
    narrows: CHOOSING.some((name) => parameters.has(name)),
  }
  const stranger = services?.find((each) => serviceOf(registry, each) === undefined)
  if (stranger !== undefined) throw bad(`names “${stranger}”, which is no service`)
  const isChosen = (profile: Pick<Profile, 'service' | 'nativeId'>) =>
    services === undefined || services.some((each) => isOf(registry, each, profile))
  if (address === '*') return { ...shared, takes: isChosen, selection: undefined }
  const [start, room, name = '', endpoint, ...rest] = address.split('/')
  if (rest.length > 0) throw bad('goes deeper than a filter can')
  if (start === '' && room === 'types' && endpoint === undefined) {
    const type = TYPE_NAMES.find((each) => each === name)
    if (type === undefined && name !== '*') throw bad('names no type')
    return { ...shared, takes: isChosen, selection: type && { type: type satisfies TypeName } }
  }
  if (start !== '' || room !== 'services' || name === '') throw bad(NO_PATH)
  const all = endpoint === undefined || endpoint === '*'
  if (!all) checkEndpoint(registry, name, endpoint, bad)
  else if (name !== '*' && serviceOf(registry, name) === undefined) throw bad(NO_PATH)
  return {
    ...shared,
    takes: (profile) => isChosen(profile) && (name === '*' || isOf(registry, name, profile)),
    selection: all ? undefined : { endpoint },
  }
}

const NO_PATH = 'is no path such as *, /types/photos or /services/github/events'

function checkEndpoint(registry: Registry, name: string, endpoint: string, bad: (why: string) => ApiError): void {
  if (serviceOf(registry, name) === OWN_SERVICE.service) return
  const connector = registry.find(parseProfileName(name)?.service ?? '')
  if (connector === undefined) throw bad(NO_PATH)
  if (!Object.hasOwn(connector.endpoints, endpoint))
    throw bad(`names no endpoint; there is ${Object.keys(connector.endpoints).join(', ')}`)
}

function readParameters(readQuery: ReadQuery, parameters: URLSearchParams, path: string, nowMs: number) {
  try {
    return readQuery(parameters, nowMs)
  } catch (error) {
    if (error instanceof ApiError) throw new ApiError('bad_body', `filter: “${path}”: ${error.message}`)
    throw error
  }
}

function serviceOf(registry: Registry, name: string): string | undefined {
  const service = parseProfileName(name)?.service ?? ''
  return service === OWN_SERVICE.service ? service : registry.find(service)?.service
}

function isOf(registry: Registry, name: string, profile: Pick<Profile, 'service' | 'nativeId'>): boolean {
  const nativeId = parseProfileName(name)?.nativeId
  return serviceOf(registry, name) === profile.service && (nativeId === undefined || nativeId === profile.nativeId)
}
