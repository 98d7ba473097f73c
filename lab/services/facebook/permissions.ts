import { json, type Reply } from '../../base/reply.ts'
import type { GraphCaller } from '../../graph/caller.ts'
import { wrongParameter } from '../../graph/graph-error.ts'

/** Granted permissions, and those declined in the login window or revoked since. */
export const listPermissions = ({ grant }: GraphCaller): Reply =>
  json(200, {
    data: [...grant.requested].map((permission) => ({
      permission,
      status: isGranted(grant, permission) ? 'granted' : 'declined',
    })),
  })

const isGranted = (grant: GraphCaller['grant'], permission: string): boolean =>
  permission === 'public_profile' || grant.granted.has(permission)

/** Without a name, revokes the whole login and all tokens of the app and person. */
export function revokePermissions({ grant }: GraphCaller, permission: string | undefined): Reply {
  if (permission === undefined) grant.revoked = true
  else if (!grant.requested.has(permission)) throw wrongParameter(`Permission ${permission} was never granted`)
  else grant.granted.delete(permission)
  return json(200, { success: true })
}
