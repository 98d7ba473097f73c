import { first } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import { json, type Reply } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { GraphAccess } from '../../graph/access.ts'
import { presentedToken } from '../../graph/caller.ts'
import { graphError, wrongParameter } from '../../graph/graph-error.ts'

/** `GET /debug_token`, called with an app token (`{app-id}|{app-secret}`). */
export function debugToken({ grants, apps }: GraphAccess, people: readonly Person[], request: LabRequest): Reply {
  const [appId = '', secret = ''] = (presentedToken(request) ?? '').split('|')
  if (apps.get(appId) !== secret || secret === '')
    throw graphError('Invalid OAuth access token signature.', { code: 190 })
  const input = first(request.query, 'input_token')
  if (input === undefined) throw wrongParameter('The parameter input_token is required')
  const token = grants.token(input)
  if (!token || token.grant.clientKey !== appId)
    return json(200, {
      data: { error: { code: 190, message: 'Invalid OAuth access token.' }, is_valid: false, scopes: [] },
    })
  const { grant } = token
  const seconds = (ms: number) => Math.floor(ms / 1000)
  return json(200, {
    data: {
      app_id: appId,
      type: 'USER',
      application: 'An app',
      data_access_expires_at: seconds(token.issuedAtMs + 90 * 86_400_000),
      expires_at: seconds(token.expiresAtMs),
      is_valid: grants.isActive(token),
      issued_at: seconds(token.issuedAtMs),
      scopes: [...grant.granted],
      user_id: people.find(({ username }) => username === grant.username)?.id,
    },
  })
}
