import { first } from '../../base/pairs.ts'
import { json, Refusal, type Reply } from '../../base/reply.ts'
import { jsonOf } from '../../base/request.ts'
import { isShown } from '../../data/item-store.ts'
import type { ApiParts, Call, GithubApi } from './endpoint.ts'
import { githubError, invalidField, notFound } from './errors.ts'
import { blankIssue } from './generate.ts'
import type { IssueItem } from './model.ts'
import { choiceParam, timeParam } from './page.ts'
import { presentComment, presentIssue, presentListedIssue } from './present-issue.ts'
import { namedRepo } from './repo-routes.ts'

export function issueResources({ context, data }: ApiParts, { list, one, own }: GithubApi) {
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

  function publish(call: Call): Reply {
    const repo = namedRepo(call).fullName
    if (!call.may('public_repo')) return notFound()
    const { title, body } = jsonOf(call.request)
    if (typeof title !== 'string' || title === '') return invalidField('Issue', 'title', 'missing_field')
    const { login } = call.viewer
    const blank = blankIssue(repo, data.nextNumber(repo), login)
    const fields = { ...blank, title, body: typeof body === 'string' ? body : null }
    return json(201, presentIssue(call, data.issues.add(login, String(data.nextId()), context.clock.now(), fields)))
  }

  const scopes = ['repo']
  return {
    'GET /issues': list({ scopes }, mine, presentListedIssue),
    'GET /user/issues': list({ scopes }, mine, presentListedIssue),
    'GET /repos/:owner/:repo/issues': list({ scopes }, ofRepo, presentIssue),
    'POST /repos/:owner/:repo/issues': own({ scopes: ['repo', 'public_repo'] }, publish),
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
