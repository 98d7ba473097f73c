import { json, Refusal, type Reply } from '../../base/reply.ts'
import type { Routes } from '../../base/router.ts'
import { isShown } from '../../data/item-store.ts'
import type { ApiParts, Ask, Asked } from './ask.ts'
import { notFound } from './errors.ts'
import type { Account } from './model.ts'
import { pagedReply } from './page.ts'
import { fullUser, privateUser, simpleUser } from './present-account.ts'

/** Who the path is about, or 404. */
export function namedAccount({ presenter, params }: Asked): Account {
  const account = presenter.data.account(params['username'] ?? '')
  if (!account) throw new Refusal(notFound())
  return account
}

export function accountRoutes({ context, data, limits }: ApiParts, ask: Ask): Routes {
  const countsOf = ({ login }: Account) => {
    const repos = data.store.list(login, 'repos').filter(isShown)
    const gists = data.store.list(login, 'gists').filter(isShown)
    const publicRepos = repos.filter(({ fields }) => fields['private'] === false).length
    const publicGists = gists.filter(({ fields }) => fields['public'] === true).length
    return {
      publicRepos,
      privateRepos: repos.length - publicRepos,
      publicGists,
      privateGists: gists.length - publicGists,
      followers: data.followers(login).length,
      following: data.following(login).length,
    }
  }
  const users = (asked: Asked, items: Account[]): Reply =>
    pagedReply({ url: context.url(), request: asked.request, items, present: (one) => simpleUser(context.url(), one) })

  const emails = ({ viewer, may, request }: Asked): Reply => {
    if (!may('user:email')) return notFound()
    const hidden = `${viewer.id}+${viewer.login}@users.noreply.github.test`
    const items = [
      ...(viewer.email === undefined
        ? []
        : [{ email: viewer.email, primary: true, verified: true, visibility: 'public' }]),
      { email: hidden, primary: viewer.email === undefined, verified: true, visibility: null },
    ]
    return pagedReply({ url: context.url(), request, items, present: (one) => one })
  }

  return {
    'GET /user': ask([], ({ viewer, may }) =>
      json(200, privateUser(context.url(), viewer, countsOf(viewer), may('read:user'))),
    ),
    'GET /user/emails': ask(['user', 'user:email'], emails),
    'GET /users/:username': ask([], (asked) => {
      const account = namedAccount(asked)
      return json(200, fullUser(context.url(), account, countsOf(account)))
    }),
    'GET /user/followers': ask([], (asked) => users(asked, data.followers(asked.viewer.login))),
    'GET /user/following': ask([], (asked) => users(asked, data.following(asked.viewer.login))),
    'GET /users/:username/followers': ask([], (asked) => users(asked, data.followers(namedAccount(asked).login))),
    'GET /users/:username/following': ask([], (asked) => users(asked, data.following(namedAccount(asked).login))),
    'GET /rate_limit': ask(
      [],
      ({ viewer, presenter }) => {
        const core = { ...limits.standing(String(viewer.id)), resource: 'core' }
        const search = { ...limits.standing(String(viewer.id), 'search'), resource: 'search' }
        return json(200, { resources: { core, search }, ...(presenter.version === '2022-11-28' ? { rate: core } : {}) })
      },
      { free: true },
    ),
  }
}
