import { Refusal } from '../../base/reply.ts'
import type { ApiParts, Call, GithubApi } from './endpoint.ts'
import { notFound } from './errors.ts'
import type { Account } from './model.ts'
import { fullUser, privateUser, simpleUser } from './present/account.ts'

/** The account in the path, or 404. */
export function namedAccount({ data, params }: Call): Account {
  const account = data.account(params['username'] ?? '')
  if (!account) throw new Refusal(notFound())
  return account
}

export function accountResources({ data, limits }: ApiParts, { list, one }: GithubApi) {
  const countsOf = ({ login }: Account) => {
    const [repos, gists] = [data.repos.shown(login), data.gists.shown(login)]
    const publicRepos = repos.filter(({ fields }) => !fields.private).length
    const publicGists = gists.filter(({ fields }) => fields.public).length
    return {
      publicRepos,
      privateRepos: repos.length - publicRepos,
      publicGists,
      privateGists: gists.length - publicGists,
      followers: data.followers(login).length,
      following: data.following(login).length,
    }
  }

  function emails({ viewer: { id, login, email }, may }: Call) {
    if (!may('user:email')) throw new Refusal(notFound())
    const hidden = `${id}+${login}@users.noreply.github.test`
    return [
      ...(email === undefined ? [] : [{ email, primary: true, verified: true, visibility: 'public' }]),
      { email: hidden, primary: email === undefined, verified: true, visibility: null },
    ]
  }

  return {
    'GET /user': one({}, (call) => privateUser(call, call.viewer, countsOf(call.viewer), call.may('read:user'))),
    'GET /user/emails': list({ scopes: ['user', 'user:email'] }, emails, (_call, email) => email),
    'GET /users/:username': one({}, (call) => {
      const account = namedAccount(call)
      return fullUser(call, account, countsOf(account))
    }),
    'GET /user/followers': list({}, ({ viewer }) => data.followers(viewer.login), simpleUser),
    'GET /user/following': list({}, ({ viewer }) => data.following(viewer.login), simpleUser),
    'GET /users/:username/followers': list({}, (call) => data.followers(namedAccount(call).login), simpleUser),
    'GET /users/:username/following': list({}, (call) => data.following(namedAccount(call).login), simpleUser),
    'GET /rate_limit': one({ resource: null }, ({ viewer, version }) => {
      const of = (resource: 'core' | 'search') => ({ ...limits.standing(String(viewer.id), resource), resource })
      const [core, search] = [of('core'), of('search')]
      return { resources: { core, search }, ...(version === '2022-11-28' ? { rate: core } : {}) }
    }),
  }
}
