import type { ApiParts, Call, XApi } from '../endpoint.ts'
import type { XUser } from '../model.ts'
import { checkedId, idList } from '../params.ts'
import { presentPost, presentUser } from '../present.ts'
import { missing } from '../problems.ts'
import { namedUser } from './timeline-routes.ts'

export function userResources({ data }: ApiParts, { list, one }: XApi) {
  function single(call: Call, user: XUser | undefined, parameter: string, value: string) {
    if (!user) return { errors: [missing('user', parameter, value)] }
    const recent = call.selection.expansions.has('most_recent_tweet_id')
      ? data.posts.list(user.username).find((item) => data.post(item.id) && item.hidden !== true)
      : undefined
    return { data: presentUser(call, user), includes: recent ? { tweets: [presentPost(call, recent)] } : {} }
  }

  const need = { of: 'user', charged: 'users', limit: 900 } as const
  const follows = {
    ...need,
    charged: 'follows',
    limit: 300,
    scopes: ['follows.read'],
    params: ['max_results', 'pagination_token'],
    counts: [1, 1000, 100],
  } as const
  return {
    'GET /2/users/me': one({ ...need, limit: 75 }, (call) => single(call, call.viewer, 'id', call.viewer.id)),
    'GET /2/users': one({ ...need, params: ['ids'] }, (call) => {
      const ids = idList(call.request)
      return {
        data: ids.flatMap((id) => data.user(id) ?? []).map((user) => presentUser(call, user)),
        errors: ids.filter((id) => !data.user(id)).map((id) => missing('user', 'ids', id)),
      }
    }),
    'GET /2/users/:id': one(need, (call) => {
      const id = checkedId('id', call.params['id'] ?? '')
      return single(call, data.user(id), 'id', id)
    }),
    'GET /2/users/by/username/:username': one(need, (call) => {
      const { username = '' } = call.params
      return single(call, data.byName(username), 'username', username)
    }),
    'GET /2/users/:id/followers': list(follows, (call) => data.followers(namedUser(call).id), presentUser),
    'GET /2/users/:id/following': list(follows, (call) => data.following(namedUser(call).id), presentUser),
  }
}
