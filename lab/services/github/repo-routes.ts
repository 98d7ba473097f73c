import { first } from '../../base/pairs.ts'
import { noContent, Refusal, type Reply } from '../../base/reply.ts'
import { isShown } from '../../data/item-store.ts'
import { namedAccount } from './account-routes.ts'
import type { ApiParts, Call, GithubApi } from './endpoint.ts'
import { githubError, notFound } from './errors.ts'
import { isoSeconds } from './ids.ts'
import type { RepoItem } from './model.ts'
import { choiceParam, timeParam } from './page.ts'
import { fullRepo, presentCommit } from './present/repo.ts'

/** The repository in the path, or 404 if it is private and the caller is not its owner or lacks the scope. */
export function namedRepo({ data, params, viewer, may }: Call): { fullName: string; item: RepoItem } {
  const fullName = `${params['owner']}/${params['repo']}`
  const item = data.repo(fullName)
  const hidden = item?.fields.private && !(may('repo') && params['owner'] === viewer.login)
  if (!item || !isShown(item) || hidden) throw new Refusal(notFound())
  return { fullName, item }
}

/** Counts that lists omit. */
const singleOnly = { network_count: 0, subscribers_count: 3 }

export function repoResources({ context, data }: ApiParts, { list, one, own }: GithubApi) {
  const repos = (loginOf: (call: Call) => string) => (call: Call) => {
    const login = loginOf(call)
    const { request, viewer, may } = call
    const visibility = choiceParam(request, 'visibility', ['all', 'public', 'private'])
    if (first(request.query, 'type') !== undefined && first(request.query, 'visibility') !== undefined)
      throw new Refusal(githubError(422, 'If you specify visibility or affiliation, you cannot specify type.'))
    const type = choiceParam(request, 'type', ['all', 'owner', 'public', 'private', 'member'])
    const sort = choiceParam(request, 'sort', ['full_name', 'created', 'updated', 'pushed'])
    const direction = choiceParam(request, 'direction', sort === 'full_name' ? ['asc', 'desc'] : ['desc', 'asc'])
    const sinceMs = timeParam(request, 'since') ?? 0
    const beforeMs = timeParam(request, 'before') ?? Number.POSITIVE_INFINITY
    const seesPrivate = may('repo') && viewer.login === login
    const items = data.repos.shown(login).filter(({ fields, updatedAtMs }) => {
      if ((fields.private && !seesPrivate) || type === 'member') return false
      const kind = fields.private ? 'private' : 'public'
      if ((visibility !== 'all' && visibility !== kind) || ((type === 'public' || type === 'private') && type !== kind))
        return false
      return sinceMs <= updatedAtMs && updatedAtMs < beforeMs
    })
    const keyOf = ({ fields: { name, pushedAtMs }, createdAtMs, updatedAtMs }: RepoItem) =>
      ({ full_name: name, pushed: pushedAtMs, created: createdAtMs, updated: updatedAtMs })[sort]
    const sign = direction === 'asc' ? 1 : -1
    return items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -sign : sign))
  }

  /** Stars, newest first. */
  const starred = (loginOf: (call: Call) => string) => (call: Call) => {
    const login = loginOf(call)
    const direction = choiceParam(call.request, 'direction', ['desc', 'asc'])
    const sort = choiceParam(call.request, 'sort', ['created', 'updated'])
    const stars = data.starred.shown(login).flatMap(({ fields, createdAtMs }) => {
      const repo = data.repo(fields.repo)
      return repo && isShown(repo) ? [{ repo, createdAtMs }] : []
    })
    if (sort === 'updated') stars.sort((a, b) => b.repo.updatedAtMs - a.repo.updatedAtMs)
    if (direction === 'asc') stars.reverse()
    return stars
  }
  /** With a special media type stars include the time. */
  const presentStar = (call: Call, { repo, createdAtMs }: { repo: RepoItem; createdAtMs: number }) => {
    const withTime = /\bvnd\.github\.(?:v3\.)?star\+json\b/.test(call.request.headers.accept ?? '')
    const shown = fullRepo(call, repo)
    return withTime ? { starred_at: isoSeconds(createdAtMs), repo: shown } : shown
  }

  function commits(call: Call) {
    const { request } = call
    const { fullName } = namedRepo(call)
    const sinceMs = timeParam(request, 'since') ?? 0
    const untilMs = timeParam(request, 'until') ?? Number.POSITIVE_INFINITY
    const author = first(request.query, 'author')
    const all = data.commits.shown(fullName)
    if (all.length === 0) throw new Refusal(githubError(409, 'Git Repository is empty.'))
    return all
      .filter(({ createdAtMs: ms, fields: { authorLogin, authorEmail } }) => {
        const isAuthor = author === undefined || [authorLogin, authorEmail].includes(author)
        return ms >= sinceMs && ms <= untilMs && isAuthor
      })
      .map((item) => ({ fullName, item }))
  }

  const star =
    (on: boolean) =>
    (call: Call): Reply => {
      const { fullName, item } = namedRepo(call)
      const { login } = call.viewer
      if (!call.may('public_repo')) return notFound()
      const isStarred = data.starred.shown(login).some(({ id }) => id === item.id)
      const now = context.clock.now()
      if (on && !isStarred) data.starred.add(login, item.id, now, { repo: fullName })
      if (!on && isStarred) data.starred.remove(login, item.id, now)
      return noContent()
    }

  const scopes = ['repo']
  const self = ({ viewer }: Call) => viewer.login
  const other = (call: Call) => namedAccount(call).login
  return {
    'GET /user/repos': list({ scopes }, repos(self), fullRepo),
    'GET /users/:username/repos': list({}, repos(other), fullRepo),
    'GET /user/starred': list({}, starred(self), presentStar),
    'GET /users/:username/starred': list({}, starred(other), presentStar),
    'PUT /user/starred/:owner/:repo': own({ scopes: ['public_repo', 'repo'] }, star(true)),
    'DELETE /user/starred/:owner/:repo': own({ scopes: ['public_repo', 'repo'] }, star(false)),
    'GET /repos/:owner/:repo': one({ scopes }, (call) => ({ ...fullRepo(call, namedRepo(call).item), ...singleOnly })),
    'GET /repos/:owner/:repo/commits': list({ scopes }, commits, presentCommit),
    'GET /repos/:owner/:repo/commits/:sha': one({ scopes }, (call) => {
      const { fullName } = namedRepo(call)
      const { sha } = call.params
      const item = data.commits.shown(fullName).find(({ id }) => id === sha)
      if (!item) throw new Refusal(githubError(422, `No commit found for SHA: ${sha}`))
      return presentCommit(call, { fullName, item })
    }),
  }
}
