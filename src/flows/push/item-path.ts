import { endpointFault } from '#kit/endpoint-fault.ts'
import { OWN_SERVICE } from '#kit/own-items.ts'
import type { Registry } from '#kit/registry.ts'
import { ApiError } from '#model/errors.ts'
import { readItemQuery } from '#model/item-filter/read.ts'
import type { Profile } from '#model/profile.ts'
import { isNamed, type ProfileName, parseProfileName } from '#model/profile-name.ts'
import type { Query, Selection } from '#model/query.ts'
import { TYPE_NAMES, type TypeName } from '#model/types.ts'

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
export function parseItemPath(registry: Registry, path: string): ItemPath {
  const bad = (why: string) => new ApiError('bad_body', `filter: “${path}” ${why}.`)
  const cut = path.indexOf('?')
  const [address, search] = cut < 0 ? [path, ''] : [path.slice(0, cut), path.slice(cut + 1)]
  const parameters = new URLSearchParams(search)
  const { query, services } = readParameters(parameters, path)
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
  const chosen = services?.map((each) => {
    const name = knownName(registry, each)
    if (name === undefined) throw bad(`names “${each}”, which is no service`)
    return name
  })
  const isChosen = (profile: Pick<Profile, 'service' | 'nativeId'>) =>
    chosen === undefined || chosen.some((each) => isNamed(each, profile))
  if (address === '*') return { ...shared, takes: isChosen, selection: undefined }
  const [start, room, third = '', endpoint, ...rest] = address.split('/')
  if (rest.length > 0) throw bad('goes deeper than a filter can')
  if (start === '' && room === 'types' && endpoint === undefined) {
    const type = TYPE_NAMES.find((each) => each === third)
    if (type === undefined && third !== '*') throw bad('names no type')
    return { ...shared, takes: isChosen, selection: type && { type: type satisfies TypeName } }
  }
  const name = third === '*' ? undefined : knownName(registry, third)
  const all = endpoint === undefined || endpoint === '*'
  if (start !== '' || room !== 'services' || (name === undefined && !(all && third === '*'))) throw bad(NO_PATH)
  const fault = all || name === undefined ? undefined : endpointFault(registry, name.service, endpoint)
  if (fault !== undefined) throw new ApiError('bad_body', `filter: “${path}”: ${fault}`)
  return {
    ...shared,
    takes: (profile) => isChosen(profile) && (name === undefined || isNamed(name, profile)),
    selection: all ? undefined : { endpoint },
  }
}

const NO_PATH = 'is no path such as *, /types/photos or /services/github/events'

function readParameters(parameters: URLSearchParams, path: string): ReturnType<typeof readItemQuery> {
  try {
    return readItemQuery(parameters, 0)
  } catch (error) {
    if (error instanceof ApiError) throw new ApiError('bad_body', `filter: “${path}”: ${error.message}`)
    throw error
  }
}

/** A name of profiles at a service that there is. */
function knownName(registry: Registry, text: string): ProfileName | undefined {
  const name = parseProfileName(registry, text)
  const isKnown = name?.service === OWN_SERVICE.service || registry.find(name?.service ?? '') !== undefined
  return isKnown ? name : undefined
}
