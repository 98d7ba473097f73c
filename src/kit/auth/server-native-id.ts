import { trimEndOf } from '#platform/formats/trim-end.ts'
import { type Auth, typedFieldsOf } from './auth.ts'
import type { TypedValues } from './typed.ts'
import { isServerFormat, namesServer } from './typed-values.ts'

/** Whether people name the server themselves. Ids are then unique on one server only. */
export function isOnNamedServer(auth: Auth): boolean {
  const fields = typedFieldsOf(auth)
  return auth.kind !== 'none' && fields !== undefined && namesServer(fields)
}

/**
 * The native id of somebody on a server that a person named: with the server in it, because any server can claim any id, and
 * must not be able to name a person of another one.
 */
export function nativeIdOn(auth: Auth, values: TypedValues, id: string): string {
  const servers = Object.entries(typedFieldsOf(auth) ?? {}).filter(([, { format }]) => isServerFormat(format))
  const named = servers.map(([name]) => (values[name] === undefined ? '' : serverIn(values[name])))
  if (named.length <= 1) return `${id}@${named.join('')}`
  const list = named.map((server) => server.replaceAll(',', '%2C')).join(',')
  return `${id}@${trimEndOf(list, ',')}`
}

/** Host, port unless it is that of https, path and query. An `@` in them must not look like the one before a host. */
function serverIn(address: string): string {
  const url = URL.parse(address.includes('://') ? address : `https://${address}`)
  if (url === null) return address
  const port = url.port === '' && url.protocol === 'http:' ? ':80' : ''
  return `${url.host}${port}${`${url.pathname === '/' ? '' : url.pathname}${url.search}`.replaceAll('@', '%40')}`
}

/** The id by which the server itself knows the person. */
export function localId(auth: Auth, nativeId: string): string {
  return isOnNamedServer(auth) ? nativeId.slice(0, nativeId.lastIndexOf('@')) : nativeId
}
