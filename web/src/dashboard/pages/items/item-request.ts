import type { Texts } from '../../search.ts'
import { type ApiDocument, parametersOf, ROUTES, type RouteName } from './parameters.ts'

/** A request for items as the address of the page describes it. */
export interface ItemRequest {
  route: RouteName
  path: Record<string, string>
  query: Record<string, string>
  /** Parts of the path that are not chosen yet. */
  missing: string[]
}

/** Types that exist in every account. */
const FIRST_TYPE = 'all'

export function requestIn(document: ApiDocument, address: Texts): ItemRequest {
  const route = routeIn(address)
  const given = (name: string) => address[name] ?? (name === 'type' ? FIRST_TYPE : undefined)
  const names = parametersOf(document, route, 'path').map(({ name }) => name)
  const known = names.flatMap((name) => (given(name) === undefined ? [] : [[name, given(name)!]]))
  const query = parametersOf(document, route, 'query').flatMap(({ name }) =>
    address[name] === undefined ? [] : [[name, address[name]]],
  )
  return {
    route,
    path: Object.fromEntries(known),
    query: Object.fromEntries(query),
    missing: names.filter((name) => given(name) === undefined),
  }
}

export function routeIn({ by }: Texts): RouteName {
  return by === 'endpoint' || by === 'id' ? by : 'type'
}

export function urlOf({ route, path, query }: ItemRequest, origin: string): string {
  const filled = ROUTES[route].path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(path[name] ?? ''),
  )
  const search = new URLSearchParams(query).toString()
  return `${origin}${filled}${search === '' ? '' : `?${search}`}`
}

export const curlOf = (request: ItemRequest, origin: string): string =>
  `curl -H "Authorization: Bearer $ACCESS_TOKEN" \\\n  '${urlOf(request, origin).replaceAll("'", '%27')}'`

/** The request as a call of the SDK. */
export function sdkOf({ route, path, query }: ItemRequest, origin: string): string {
  const text = (value: unknown) => JSON.stringify(value)
  const typed = Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, value === 'true' ? true : value]),
  )
  const rest = Object.keys(query).length === 0 ? '' : `, ${text(typed)}`
  const start = `const account = createClient({ baseUrl: ${text(origin)} }).account(accessToken)\n`
  if (route === 'id') return `${start}const item = await account.item(${text(path['id'] ?? '')}${rest})`
  const list =
    route === 'type'
      ? `account.items(${text(path['type'] ?? '')}${rest})`
      : `account.services.items(${text(path['service'] ?? '')}, ${text(path['endpoint'] ?? '')}${rest})`
  return `${start}for await (const item of ${list}) console.log(item)`
}
