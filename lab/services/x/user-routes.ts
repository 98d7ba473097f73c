import { first } from '../../base/pairs.ts'
import type { Reply } from '../../base/reply.ts'
import type { Routes } from '../../base/router.ts'
import type { Resource } from './billing.ts'
import type { ApiCall, ApiParts, EndpointFactory } from './endpoint.ts'
import { readFieldSelection } from './field-selection.ts'
import type { XUser } from './model.ts'
import { pageOf } from './page.ts'
import { checkedId, checkNames, countParam } from './params.ts'
import { type Presenter, presentPost, presentUser } from './present.ts'
import { missing } from './problems.ts'
import { respond } from './respond.ts'

const userParams = ['user.fields', 'tweet.fields', 'post.fields', 'expansions']

export function userRoutes({ context, data }: ApiParts, endpoint: EndpointFactory): Routes {
  const presenterOf = (call: ApiCall): Presenter => {
    const selection = readFieldSelection(call.request, 'user')
    // The e-mail address requires its own scope.
    const user = call.scopes.includes('users.email') ? selection.user : without(selection.user, 'confirmed_email')
    return { url: context.url(), data, viewerId: call.viewer.id, selection: { ...selection, user } }
  }

  function single(call: ApiCall, user: XUser | undefined, named: { parameter: string; value: string }): Reply {
    const presenter = presenterOf(call)
    if (!user) return respond(presenter.selection, { errors: [missing('user', named.parameter, named.value)] })
    const recent = presenter.selection.expansions.has('most_recent_tweet_id')
      ? data.store
          .list(user.username, 'posts')
          .filter((item) => data.post(item.id) && item.hidden !== true)
          .slice(0, 1)
      : []
    const tweets = recent.map((item) => presentPost(presenter, item))
    return respond(presenter.selection, {
      data: presentUser(presenter, user),
      includes: tweets.length > 0 ? { tweets } : {},
    })
  }

  function listing(call: ApiCall, users: (id: string) => XUser[]): Reply {
    checkNames(call.request, ['max_results', 'pagination_token', ...userParams])
    const presenter = presenterOf(call)
    const id = checkedId('id', call.params['id'] ?? '')
    if (!data.user(id)) return respond(presenter.selection, { errors: [missing('user', 'id', id)] })
    const count = countParam(call.request, 1, 1000, 100)
    const { shown, tokens } = pageOf(call.request, users(id), () => true, count)
    return respond(presenter.selection, {
      data: shown.map((user) => presentUser(presenter, user)),
      meta: { result_count: shown.length, ...tokens },
    })
  }

  const base = ['tweet.read', 'users.read']
  const follows = [...base, 'follows.read']
  const rule = (endpoint: string, limit: number, scopes = base, charged: Resource = 'users') => ({
    endpoint,
    limit,
    scopes,
    charged,
  })
  return {
    'GET /2/users/me': endpoint(rule('GET /2/users/me', 75), (call) => {
      checkNames(call.request, userParams)
      return single(call, call.viewer, { parameter: 'id', value: call.viewer.id })
    }),
    'GET /2/users': endpoint(rule('GET /2/users', 900), (call) => {
      checkNames(call.request, ['ids', ...userParams])
      const ids = (first(call.request.query, 'ids') ?? '').split(',').map((id) => checkedId('ids', id))
      const presenter = presenterOf(call)
      return respond(presenter.selection, {
        data: ids.flatMap((id) => data.user(id) ?? []).map((user) => presentUser(presenter, user)),
        errors: ids.filter((id) => !data.user(id)).map((id) => missing('user', 'ids', id)),
      })
    }),
    'GET /2/users/:id': endpoint(rule('GET /2/users/:id', 900), (call) => {
      checkNames(call.request, userParams)
      const value = checkedId('id', call.params['id'] ?? '')
      return single(call, data.user(value), { parameter: 'id', value })
    }),
    'GET /2/users/by/username/:username': endpoint(rule('GET /2/users/by/username/:username', 900), (call) => {
      checkNames(call.request, userParams)
      const value = call.params['username'] ?? ''
      return single(call, data.byName(value), { parameter: 'username', value })
    }),
    'GET /2/users/:id/followers': endpoint(rule('GET /2/users/:id/followers', 300, follows, 'follows'), (call) =>
      listing(call, (id) => data.followers(id)),
    ),
    'GET /2/users/:id/following': endpoint(rule('GET /2/users/:id/following', 300, follows, 'follows'), (call) =>
      listing(call, (id) => data.following(id)),
    ),
  }
}

const without = (names: ReadonlySet<string>, name: string): ReadonlySet<string> =>
  new Set([...names].filter((one) => one !== name))
