import { first } from '../../base/pairs.ts'
import { json, noContent, Refusal, type Reply } from '../../base/reply.ts'
import type { Routes } from '../../base/router.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import { namedAccount } from './account-routes.ts'
import type { ApiCall, ApiParts, EndpointFactory } from './endpoint.ts'
import { githubError, notFound } from './errors.ts'
import { isoSeconds } from './ids.ts'
import type { RepoFields } from './model.ts'
import { choiceParam, pagedReply, timeParam } from './page.ts'
import { fullRepo, presentCommit } from './present-repo.ts'

/** The repository in the path, or 404 if it is private and the caller is not its owner or lacks the scope. */
export function namedRepo({ presenter, params, viewer, may }: ApiCall): StoredItem {
  const item = presenter.data.repo(`${params['owner']}/${params['repo']}`)
  const hidden = (item?.fields as RepoFields | undefined)?.private && !(may('repo') && params['owner'] === viewer.login)
  if (!item || !isShown(item) || hidden) throw new Refusal(notFound())
  return item
}

/** Counts that lists omit. */
const singleOnly = { network_count: 0, subscribers_count: 3 }

export function repoRoutes({ context, data }: ApiParts, endpoint: EndpointFactory): Routes {
  const page = (call: ApiCall, items: readonly StoredItem[], present: (item: StoredItem) => unknown): Reply =>
    pagedReply({ url: context.url(), request: call.request, items, present })

  function repos(call: ApiCall, login: string): Reply {
    const { request, viewer, may, presenter } = call
    const visibility = choiceParam(request, 'visibility', ['all', 'public', 'private'])
    if (first(request.query, 'type') !== undefined && first(request.query, 'visibility') !== undefined)
      throw new Refusal(githubError(422, 'If you specify visibility or affiliation, you cannot specify type.'))
    const type = choiceParam(request, 'type', ['all', 'owner', 'public', 'private', 'member'])
    const sort = choiceParam(request, 'sort', ['full_name', 'created', 'updated', 'pushed'])
    const direction = choiceParam(request, 'direction', sort === 'full_name' ? ['asc', 'desc'] : ['desc', 'asc'])
    const sinceMs = timeParam(request, 'since')
    const beforeMs = timeParam(request, 'before')
    const seesPrivate = may('repo') && viewer.login === login
    const items = data.store.list(login, 'repos').filter((item) => {
      const fields = item.fields as RepoFields
      if (!isShown(item) || (fields.private && !seesPrivate) || type === 'member') return false
      const kind = fields.private ? 'private' : 'public'
      if ((visibility !== 'all' && visibility !== kind) || ((type === 'public' || type === 'private') && type !== kind))
        return false
      return (sinceMs ?? 0) <= item.updatedAtMs && item.updatedAtMs < (beforeMs ?? Number.POSITIVE_INFINITY)
    })
    const keyOf = (item: StoredItem): number | string => {
      const fields = item.fields as RepoFields
      if (sort === 'full_name') return fields.name
      if (sort === 'pushed') return fields.pushedAtMs
      return sort === 'created' ? item.createdAtMs : item.updatedAtMs
    }
    const sign = direction === 'asc' ? 1 : -1
    const sorted = items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -sign : sign))
    return page(call, sorted, (item) => fullRepo(presenter, item, viewer.login))
  }

  /** Stars, newest first; with a special media type they include the time. */
  function starred(call: ApiCall, login: string): Reply {
    const { request, presenter, viewer } = call
    const direction = choiceParam(request, 'direction', ['desc', 'asc'])
    const sort = choiceParam(request, 'sort', ['created', 'updated'])
    const stars = data.store.list(login, 'starred').flatMap((star) => {
      const repo = presenter.data.repo(String(star.fields['repo']))
      return isShown(star) && repo && isShown(repo) ? [{ ...star, repo }] : []
    })
    if (sort === 'updated') stars.sort((a, b) => b.repo.updatedAtMs - a.repo.updatedAtMs)
    if (direction === 'asc') stars.reverse()
    const withTime = /\bvnd\.github\.(?:v3\.)?star\+json\b/.test(request.headers.accept ?? '')
    const reply = pagedReply({
      url: context.url(),
      request,
      items: stars,
      present: ({ repo, createdAtMs }) => {
        const shown = fullRepo(presenter, repo, viewer.login)
        return withTime ? { starred_at: isoSeconds(createdAtMs), repo: shown } : shown
      },
    })
    return reply
  }

  function commits(call: ApiCall): Reply {
    const { request, params } = call
    namedRepo(call)
    const fullName = `${params['owner']}/${params['repo']}`
    const sinceMs = timeParam(request, 'since') ?? 0
    const untilMs = timeParam(request, 'until') ?? Number.POSITIVE_INFINITY
    const author = first(request.query, 'author')
    const all = data.store.list(fullName, 'commits').filter(isShown)
    if (all.length === 0) return githubError(409, 'Git Repository is empty.')
    const matches = ({ createdAtMs, fields }: StoredItem) =>
      createdAtMs >= sinceMs &&
      createdAtMs <= untilMs &&
      (author === undefined || [fields['authorLogin'], fields['authorEmail']].includes(author))
    return page(call, all.filter(matches), (item) => presentCommit(call.presenter, fullName, item))
  }

  const star =
    (on: boolean) =>
    (call: ApiCall): Reply => {
      const repo = namedRepo(call)
      const { viewer, may } = call
      if (!may('public_repo')) return notFound()
      const isStarred = data.store.list(viewer.login, 'starred').some((item) => item.id === repo.id && isShown(item))
      const now = context.clock.now()
      const { owner, name } = repo.fields as RepoFields
      const fields = { repo: `${owner}/${name}` }
      if (on && !isStarred)
        data.store.put(viewer.login, 'starred', { id: repo.id, createdAtMs: now, updatedAtMs: now, fields })
      if (!on && isStarred) data.store.remove(viewer.login, 'starred', repo.id, now)
      return noContent()
    }

  return {
    'GET /user/repos': endpoint(['repo'], (call) => repos(call, call.viewer.login)),
    'GET /users/:username/repos': endpoint([], (call) => repos(call, namedAccount(call).login)),
    'GET /user/starred': endpoint([], (call) => starred(call, call.viewer.login)),
    'GET /users/:username/starred': endpoint([], (call) => starred(call, namedAccount(call).login)),
    'PUT /user/starred/:owner/:repo': endpoint(['public_repo', 'repo'], star(true)),
    'DELETE /user/starred/:owner/:repo': endpoint(['public_repo', 'repo'], star(false)),
    'GET /repos/:owner/:repo': endpoint(['repo'], (call) =>
      json(200, { ...fullRepo(call.presenter, namedRepo(call), call.viewer.login), ...singleOnly }),
    ),
    'GET /repos/:owner/:repo/commits': endpoint(['repo'], commits),
    'GET /repos/:owner/:repo/commits/:sha': endpoint(['repo'], (call) => {
      namedRepo(call)
      const { owner, repo, sha } = call.params
      const item = data.store.list(`${owner}/${repo}`, 'commits').find((one) => one.id === sha && isShown(one))
      return item
        ? json(200, presentCommit(call.presenter, `${owner}/${repo}`, item))
        : githubError(422, `No commit found for SHA: ${sha}`)
    }),
  }
}
