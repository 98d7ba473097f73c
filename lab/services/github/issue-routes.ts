import { first } from '../../base/pairs.ts'
import { Refusal } from '../../base/reply.ts'
import { isShown } from '../../data/item-store.ts'
import type { ApiParts, Call, GithubApi } from './endpoint.ts'
import { githubError, notFound } from './errors.ts'
import { issueWrites } from './issue-writes.ts'
import type { IssueItem } from './model.ts'
import { choiceParam, timeParam } from './page.ts'
import { presentComment, presentIssue, presentListedIssue } from './present/issue.ts'
import { namedRepo } from './repo-routes.ts'

export function issueResources(parts: ApiParts, { list, one, own }: GithubApi) {
  const { data } = parts
  /** Applies the parameters common to all issue lists. */
  function chosen({ request }: Call, items: IssueItem[]): IssueItem[] {
    const state = choiceParam(request, 'state', ['open', 'closed', 'all'])
    const sort = choiceParam(request, 'sort', ['created', 'updated', 'comments'])
    const sign = choiceParam(request, 'direction', ['desc', 'asc']) === 'asc' ? 1 : -1
    const sinceMs = timeParam(request, 'since') ?? 0
    const labels = (first(request.query, 'labels') ?? '').split(',').filter((name) => name !== '')
    const keyOf = ({ createdAtMs, updatedAtMs, fields }: IssueItem) =>
      ({ created: createdAtMs, updated: updatedAtMs, comments: fields.comments.length })[sort]
    return items
      .filter((item) => {
        const inState = state === 'all' || item.fields.state === state
        const hasLabels = labels.every((one) => item.fields.labels.includes(one))
        return isShown(item) && inState && item.updatedAtMs >= sinceMs && hasLabels
      })
      .toSorted((a, b) => sign * (keyOf(a) - keyOf(b) || Number(a.id) - Number(b.id)))
  }

  function mine(call: Call): IssueItem[] {
    const { request, viewer, may } = call
    const filter = choiceParam(request, 'filter', ['assigned', 'created', 'mentioned', 'subscribed', 'repos', 'all'])
    const seen = data.issues.list(viewer.login).filter(({ fields: { login, assignees, mentions, repo } }) => {
      if (data.repo(repo)?.fields.private && !may('repo')) return false
      if (filter === 'assigned') return assignees.includes(viewer.login)
      if (filter === 'created') return login === viewer.login
      return filter !== 'mentioned' || mentions.includes(viewer.login)
    })
    return chosen(call, seen)
  }

  function ofRepo(call: Call): IssueItem[] {
    const name = namedRepo(call).fullName
    const inRepo = data.accounts
      .flatMap(({ login }) => data.issues.list(login))
      .filter((item) => item.fields.repo === name)
    return chosen(call, inRepo)
  }

  /** A deleted issue is 410; an unknown one is 404. */
  function named(call: Call): IssueItem {
    const item = data.issueAt(namedRepo(call).fullName, Number(call.params['number']))
    if (!item) throw new Refusal(notFound())
    if (!isShown(item)) throw new Refusal(githubError(410, 'This issue was deleted'))
    return item
  }

  const { publish, change, comment } = issueWrites(parts, named)
  const scopes = ['repo']
  const writes = { scopes: ['repo', 'public_repo'] }
  return {
    'GET /issues': list({ scopes }, mine, presentListedIssue),
    'GET /user/issues': list({ scopes }, mine, presentListedIssue),
    'GET /repos/:owner/:repo/issues': list({ scopes }, ofRepo, presentIssue),
    'POST /repos/:owner/:repo/issues': own(writes, publish),
    'PATCH /repos/:owner/:repo/issues/:number': own(writes, change),
    'POST /repos/:owner/:repo/issues/:number/comments': own(writes, comment),
    'GET /repos/:owner/:repo/issues/:number': one({ scopes }, (call) => presentIssue(call, named(call))),
    'GET /repos/:owner/:repo/issues/:number/comments': list(
      { scopes },
      (call) => {
        const issue = named(call).fields
        const sinceMs = timeParam(call.request, 'since') ?? 0
        const recent = issue.comments.filter(({ createdAtMs }) => createdAtMs >= sinceMs)
        return recent.map((comment) => ({ issue, comment }))
      },
      presentComment,
    ),
  }
}
