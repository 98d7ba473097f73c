import { json, Refusal, type Reply } from '../../base/reply.ts'
import type { Routes } from '../../base/router.ts'
import { isShown } from '../../data/item-store.ts'
import type { ApiCall, ApiParts, EndpointFactory } from './endpoint.ts'
import { notFound } from './errors.ts'
import type { Account } from './model.ts'
import { pagedReply } from './page.ts'
import { fullUser, privateUser, simpleUser } from './present-account.ts'

/** The account in the path, or 404. */
export function namedAccount({ presenter, params }: ApiCall): Account {
  const account = presenter.data.account(params['username'] ?? '')
  if (!account) throw new Refusal(notFound())
  return account
}

export function accountRoutes({ context, data, limits }: ApiParts, endpoint: EndpointFactory): Routes {
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
  const users = (call: ApiCall, items: Account[]): Reply =>
    pagedReply({ url: context.url(), request: call.request, items, present: (one) => simpleUser(context.url(), one) })

  const emails = ({ viewer, may, request }: ApiCall): Reply => {
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
    'GET /user': endpoint([], ({ viewer, may }) =>
      json(200, privateUser(context.url(), viewer, countsOf(viewer), may('read:user'))),
    ),
    'GET /user/emails': endpoint(['user', 'user:email'], emails),
    'GET /users/:username': endpoint([], (call) => {
      const account = namedAccount(call)
      return json(200, fullUser(context.url(), account, countsOf(account)))
    }),
    'GET /user/followers': endpoint([], (call) => users(call, data.followers(call.viewer.login))),
    'GET /user/following': endpoint([], (call) => users(call, data.following(call.viewer.login))),
    'GET /users/:username/followers': endpoint([], (call) => users(call, data.followers(namedAccount(call).login))),
    'GET /users/:username/following': endpoint([], (call) => users(call, data.following(namedAccount(call).login))),
    'GET /rate_limit': endpoint(
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
