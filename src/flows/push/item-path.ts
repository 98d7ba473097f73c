import { endpointFault } from '#kit/connector/endpoint-fault.ts'
import { OWN_SERVICE } from '#kit/connector/own-items.ts'
import type { Registry } from '#kit/connector/registry.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { isNamed, type ProfileName, parseProfileName } from '#model/accounts/profile-name.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import { readItemQuery } from '#model/item-filter/read.ts'
import type { Query, Selection } from '#model/items/query.ts'
import { TYPE_NAMES, type TypeName } from '#model/items/types.ts'

/** One path of a filter, parsed. */
export interface ItemPath {
  includesProfile: (profile: Pick<Profile, 'service' | 'nativeId'>) => boolean
  /** Undefined: every endpoint and type. */
  selection: Selection | undefined
  query: Query
  /** Whether it restricts by search terms, time, place or people, too. */
  narrows: boolean
}

/** Parameters that restrict items. Those that page, sort or format a response have no meaning in a filter. */
const RESTRICTING_PARAMETERS = ['q', 'near', 'participants', 'since', 'until', 'updated_since', 'link']

/** Parses `*`, `/types/photos?q=cat`, `/services/github/events` or `/services/github/*`: paths of the read API, used as filters. */
export function parseItemPath(registry: Registry, path: string): ItemPath {
  const bad = (why: string) => invalidInput('bad_body', 'filter', `“${path}” ${why}.`)
  const queryAt = path.indexOf('?')
  const [address, search] = queryAt < 0 ? [path, ''] : [path.slice(0, queryAt), path.slice(queryAt + 1)]
  const parameters = new URLSearchParams(search)
  const { query, services } = readParameters(parameters, path)
  const shared = {
    query: {
      ...query,
      // Without a time, all times match, future ones too; paging and order have no meaning here.
      until: parameters.has('until') ? query.until : Number.MAX_SAFE_INTEGER,
      since: parameters.has('since') ? query.since : Number.MIN_SAFE_INTEGER,
      before: undefined,
      dedup: false,
      copyOf: false,
    },
    narrows: RESTRICTING_PARAMETERS.some((name) => parameters.has(name)),
  }
  const namedServices = services?.map((each) => {
    const name = knownName(registry, each)
    if (name === undefined) throw bad(`names “${each}”, which is not a known service`)
    return name
  })
  const isOfNamedService = (profile: Pick<Profile, 'service' | 'nativeId'>) =>
    namedServices === undefined || namedServices.some((each) => isNamed(each, profile))
  if (address === '*') return { ...shared, includesProfile: isOfNamedService, selection: undefined }
  const [beforeSlash, root, third = '', endpoint, ...rest] = address.split('/')
  if (rest.length > 0) throw bad('has too many segments for a filter')
  if (beforeSlash === '' && root === 'types' && endpoint === undefined) {
    const type = TYPE_NAMES.find((each) => each === third)
    if (type === undefined && third !== '*') throw bad('names an unknown type')
    return { ...shared, includesProfile: isOfNamedService, selection: type && { type: type satisfies TypeName } }
  }
  const name = third === '*' ? undefined : knownName(registry, third)
  const isEveryEndpoint = endpoint === undefined || endpoint === '*'
  if (beforeSlash !== '' || root !== 'services' || (name === undefined && !(isEveryEndpoint && third === '*')))
    throw bad(INVALID_PATH)
  const fault = isEveryEndpoint || name === undefined ? undefined : endpointFault(registry, name.service, endpoint)
  if (fault !== undefined) throw invalidInput('bad_body', 'filter', `“${path}”: ${fault}`)
  return {
    ...shared,
    includesProfile: (profile) => isOfNamedService(profile) && (name === undefined || isNamed(name, profile)),
    selection: isEveryEndpoint ? undefined : { endpoint },
  }
}

const INVALID_PATH = 'is not a path such as *, /types/photos or /services/github/events'

function readParameters(parameters: URLSearchParams, path: string): ReturnType<typeof readItemQuery> {
  try {
    return readItemQuery(parameters, 0)
  } catch (error) {
    if (error instanceof ApiError) throw invalidInput('bad_body', 'filter', `“${path}”: ${error.message}`)
    throw error
  }
}

/** Undefined when the service is not known. */
function knownName(registry: Registry, text: string): ProfileName | undefined {
  const name = parseProfileName(registry, text)
  const isKnown = name?.service === OWN_SERVICE.service || registry.find(name?.service ?? '') !== undefined
  return isKnown ? name : undefined
}
