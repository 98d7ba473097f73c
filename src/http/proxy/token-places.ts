import type { TokenPlace } from '#flows/proxy/lead-back.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { ApiError } from '#model/errors.ts'
import { bytesOf } from '../exchange/read-body.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { isForm, takePairs } from '../request/query-pairs.ts'

/** Limit: bytes of a form in which a token is looked for where the service's own API takes one. */
const MAX_FORM_BYTES = 64 * 1024
/** A token of ours, as an API takes its own: alone, or with its scheme. */
const OWN_TOKEN = /^(?:bearer +)?(tr[tp]_\w+)$/i

/** What is left of a request when its token was taken out. */
export interface TakenToken {
  url: string
  /** Of a form that was read; absent: it is still to be read. */
  body?: Buffer
  /** Absent: in none that a client repeats when it follows a redirect to another host. */
  tokenIn?: TokenPlace
}

interface Places {
  headers: readonly string[]
  query: ReadonlySet<string>
  form: ReadonlySet<string>
}

/**
 * Takes the token of the account from where the service's own API takes one, and puts it into `Authorization`. Two different tokens are
 * an error: none of them may go on to the service.
 */
export async function takeToken(connector: Connector | undefined, request: HttpRequest): Promise<TakenToken> {
  const places = connector && placesOf(connector)
  if (places === undefined) return { url: request.url }
  const { headers } = request
  const found = new Set<string>()
  const isToken = (value: string): boolean => {
    const token = OWN_TOKEN.exec(value)?.[1]
    if (token !== undefined) found.add(token)
    return token !== undefined
  }
  const taken: TakenToken = { url: withoutToken(request.url, places.query, isToken) }
  if (places.form.size > 0 && hasSmallForm(request)) {
    const bytes = await bytesOf(request.raw, MAX_FORM_BYTES)
    const form = bytes.toString('latin1')
    const kept = takePairs(form, places.form, isToken)
    taken.body = kept === form ? bytes : Buffer.from(kept, 'latin1')
    if (kept !== form) taken.tokenIn = 'form'
    headers['content-length'] = String(taken.body.length)
  }
  for (const name of places.headers) {
    if (!isToken(String(headers[name] ?? ''))) continue
    delete headers[name]
    taken.tokenIn = 'header'
  }
  if (found.size > 0) {
    isToken(headers.authorization ?? '')
    if (found.size > 1) throw new ApiError('token_conflict')
    headers.authorization = `Bearer ${[...found][0]}`
  }
  return taken
}

function withoutToken(url: string, names: ReadonlySet<string>, isToken: (value: string) => boolean): string {
  const queryStart = url.indexOf('?')
  if (names.size === 0 || queryStart < 0) return url
  const query = url.slice(queryStart + 1)
  const kept = takePairs(query, names, isToken)
  return kept === query ? url : `${url.slice(0, queryStart)}?${kept}`
}

function hasSmallForm({ headers, method }: HttpRequest): boolean {
  const length = Number(headers['content-length'])
  return method !== 'GET' && length > 0 && length <= MAX_FORM_BYTES && isForm(headers['content-type'])
}

const known = new WeakMap<Connector, Places | false>()

/** Those that the connector declares, and where it sends the credential itself; undefined if that is `Authorization` alone. */
function placesOf(connector: Connector): Places | undefined {
  const places = known.get(connector) ?? findPlaces(connector)
  known.set(connector, places)
  return places === false ? undefined : places
}

function findPlaces({ auth, api: { tokenPlaces = {} } }: Connector): Places | false {
  const own = 'tokenPlacement' in auth ? auth.tokenPlacement : undefined
  const ownHeader = own?.in === 'header' ? (own.name ?? 'authorization') : 'authorization'
  const headers = [...(tokenPlaces.headers ?? []), ownHeader].map((name) => name.toLowerCase())
  const places = {
    headers: headers.filter((name) => name !== 'authorization'),
    query: new Set([...(tokenPlaces.query ?? []), ...(own?.in === 'query' ? [own.name] : [])]),
    form: new Set(tokenPlaces.form),
  }
  return places.headers.length > 0 || places.query.size > 0 || places.form.size > 0 ? places : false
}
