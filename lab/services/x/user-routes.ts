import { first } from '../../base/pairs.ts'
import type { Reply } from '../../base/reply.ts'
import type { Routes } from '../../base/router.ts'
import { answer } from './answer.ts'
import type { ApiParts, Ask, Asked } from './ask.ts'
import type { XUser } from './model.ts'
import { pageOf } from './page.ts'
import { checkedId, checkNames, countParam } from './params.ts'
import { type Presenter, presentPost, presentUser } from './present.ts'
import { missing } from './problems.ts'
import { readWanted } from './wanted.ts'

const userParams = ['user.fields', 'tweet.fields', 'post.fields', 'expansions']

export function userRoutes({ context, data }: ApiParts, ask: Ask): Routes {
  const presenterOf = (asked: Asked): Presenter => {
    const wanted = readWanted(asked.request, 'user')
    // The address is shown to an app only with a scope of its own.
    const user = asked.scopes.includes('users.email') ? wanted.user : without(wanted.user, 'confirmed_email')
    return { url: context.url(), data, viewerId: asked.viewer.id, wanted: { ...wanted, user } }
  }

  function single(asked: Asked, user: XUser | undefined, named: { parameter: string; value: string }): Reply {
    const presenter = presenterOf(asked)
    if (!user) return answer(presenter.wanted, { errors: [missing('user', named.parameter, named.value)] })
    const recent = presenter.wanted.expansions.has('most_recent_tweet_id')
      ? data.store
          .list(user.username, 'posts')
          .filter((item) => data.post(item.id) && item.hidden !== true)
          .slice(0, 1)
      : []
    const tweets = recent.map((item) => presentPost(presenter, item))
    return answer(presenter.wanted, {
      data: presentUser(presenter, user),
      includes: tweets.length > 0 ? { tweets } : {},
    })
  }

  function listing(asked: Asked, users: (id: string) => XUser[]): Reply {
    checkNames(asked.request, ['max_results', 'pagination_token', ...userParams])
    const presenter = presenterOf(asked)
    const id = checkedId('id', asked.params['id'] ?? '')
    if (!data.user(id)) return answer(presenter.wanted, { errors: [missing('user', 'id', id)] })
    const count = countParam(asked.request, 1, 1000, 100)
    const { shown, tokens } = pageOf(asked.request, users(id), () => true, count)
    return answer(presenter.wanted, {
      data: shown.map((user) => presentUser(presenter, user)),
      meta: { result_count: shown.length, ...tokens },
    })
  }

  const base = ['tweet.read', 'users.read']
  const follows = [...base, 'follows.read']
  const rule = (endpoint: string, limit: number, scopes = base) => ({ endpoint, limit, scopes })
  return {
    'GET /2/users/me': ask(rule('GET /2/users/me', 75), (asked) => {
      checkNames(asked.request, userParams)
      return single(asked, asked.viewer, { parameter: 'id', value: asked.viewer.id })
    }),
    'GET /2/users': ask(rule('GET /2/users', 900), (asked) => {
      checkNames(asked.request, ['ids', ...userParams])
      const ids = (first(asked.request.query, 'ids') ?? '').split(',').map((id) => checkedId('ids', id))
      const presenter = presenterOf(asked)
      return answer(presenter.wanted, {
        data: ids.flatMap((id) => data.user(id) ?? []).map((user) => presentUser(presenter, user)),
        errors: ids.filter((id) => !data.user(id)).map((id) => missing('user', 'ids', id)),
      })
    }),
    'GET /2/users/:id': ask(rule('GET /2/users/:id', 900), (asked) => {
      checkNames(asked.request, userParams)
      const value = checkedId('id', asked.params['id'] ?? '')
      return single(asked, data.user(value), { parameter: 'id', value })
    }),
    'GET /2/users/by/username/:username': ask(rule('GET /2/users/by/username/:username', 900), (asked) => {
      checkNames(asked.request, userParams)
      const value = asked.params['username'] ?? ''
      return single(asked, data.byName(value), { parameter: 'username', value })
    }),
    'GET /2/users/:id/followers': ask(rule('GET /2/users/:id/followers', 300, follows), (asked) =>
      listing(asked, (id) => data.followers(id)),
    ),
    'GET /2/users/:id/following': ask(rule('GET /2/users/:id/following', 300, follows), (asked) =>
      listing(asked, (id) => data.following(id)),
    ),
  }
}

const without = (names: ReadonlySet<string>, name: string): ReadonlySet<string> =>
  new Set([...names].filter((one) => one !== name))
