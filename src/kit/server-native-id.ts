import { type Auth, typedFieldsOf } from './auth.ts'
import { namesServer } from './typed-values.ts'

/** Whether people name the server themselves. Ids are then unique on one server only. */
export function isOnNamedServer(auth: Auth): boolean {
  const fields = typedFieldsOf(auth)
  return auth.kind !== 'none' && fields !== undefined && namesServer(fields)
}

/**
 * The native id of somebody on a server that a person named: with the server in it, because any server can claim any id, and
 * must not be able to name a person of another one.
 */
export function nativeIdOn(apiUrl: string, id: string): string {
  const { protocol, host, pathname } = new URL(apiUrl)
  return `${id}@${protocol === 'https:' ? '' : 'http.'}${host}${pathname === '/' ? '' : pathname}`
}

/** The id by which the server itself knows the person. */
export function localId(auth: Auth, nativeId: string): string {
  return isOnNamedServer(auth) ? nativeId.slice(0, nativeId.lastIndexOf('@')) : nativeId
}
