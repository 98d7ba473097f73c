import { first } from '../../base/pairs.ts'
import { json, Refusal, type Reply } from '../../base/reply.ts'
import { jsonOf } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import type { ApiCall, ApiParts, EndpointFactory } from './endpoint.ts'
import { githubError, invalidField, notFound } from './errors.ts'
import type { IssueFields, RepoFields } from './model.ts'
import { choiceParam, pagedReply, timeParam } from './page.ts'
import { presentComment, presentIssue, presentListedIssue } from './present-issue.ts'
import { namedRepo } from './repo-routes.ts'

const fieldsOf = (item: StoredItem): IssueFields => item.fields as IssueFields

export function issueRoutes({ context, data }: ApiParts, endpoint: EndpointFactory): Routes {
  /** Applies the parameters common to all issue lists. */
  function chosen({ request }: ApiCall, items: StoredItem[]): StoredItem[] {
    const state = choiceParam(request, 'state', ['open', 'closed', 'all'])
    const sort = choiceParam(request, 'sort', ['created', 'updated', 'comments'])
    const direction = choiceParam(request, 'direction', ['desc', 'asc'])
    const sinceMs = timeParam(request, 'since') ?? 0
    const labels = (first(request.query, 'labels') ?? '').split(',').filter((name) => name !== '')
    const keyOf = (item: StoredItem) => {
      if (sort === 'comments') return fieldsOf(item).comments.length
      return sort === 'created' ? item.createdAtMs : item.updatedAtMs
    }
    const sign = direction === 'asc' ? 1 : -1
    return items
      .filter((item) => {
        const fields = fieldsOf(item)
        const inState = state === 'all' || fields.state === state
        return (
          isShown(item) && inState && item.updatedAtMs >= sinceMs && labels.every((one) => fields.labels.includes(one))
        )
      })
      .toSorted((a, b) => sign * (keyOf(a) - keyOf(b) || Number(a.id) - Number(b.id)))
  }

  function mine(call: ApiCall): Reply {
    const { request, viewer, may, presenter } = call
    const filter = choiceParam(request, 'filter', ['assigned', 'created', 'mentioned', 'subscribed', 'repos', 'all'])
    const seen = data.store.list(viewer.login, 'issues').filter((item) => {
      const { login, assignees, mentions, repo } = fieldsOf(item)
      if ((data.repo(repo)?.fields as RepoFields | undefined)?.private && !may('repo')) return false
      if (filter === 'assigned') return assignees.includes(viewer.login)
      if (filter === 'created') return login === viewer.login
      return filter !== 'mentioned' || mentions.includes(viewer.login)
    })
    const present = (item: StoredItem) => presentListedIssue(presenter, item, viewer.login)
    return pagedReply({ url: context.url(), request, items: chosen(call, seen), present })
  }

  function ofRepo(call: ApiCall): Reply {
    namedRepo(call)
    const { owner, repo } = call.params
    const items = data.accounts.flatMap(({ login }) =>
      data.store.list(login, 'issues').filter((item) => fieldsOf(item).repo === `${owner}/${repo}`),
    )
    const present = (item: StoredItem) => presentIssue(call.presenter, item)
    return pagedReply({ url: context.url(), request: call.request, items: chosen(call, items), present })
  }

  /** A deleted issue is 410; an unknown one is 404. */
  function named(call: ApiCall): StoredItem {
    namedRepo(call)
    const { owner, repo, number } = call.params
    const item = data.issueAt(`${owner}/${repo}`, Number(number))
    if (!item) throw new Refusal(notFound())
    if (!isShown(item)) throw new Refusal(githubError(410, 'This issue was deleted'))
    return item
  }

  function publish(call: ApiCall): Reply {
    namedRepo(call)
    if (!call.may('public_repo')) return notFound()
    const { title, body } = jsonOf(call.request)
    if (typeof title !== 'string' || title === '') return invalidField('Issue', 'title', 'missing_field')
    const repo = `${call.params['owner']}/${call.params['repo']}`
    const now = context.clock.now()
    const { login } = call.viewer
    const fields = {
      ...blankIssue(repo, data.nextNumber(repo), login),
      title,
      body: typeof body === 'string' ? body : null,
    }
    const item = { id: String(data.nextId()), createdAtMs: now, updatedAtMs: now, fields }
    return json(201, presentIssue(call.presenter, data.store.put(login, 'issues', item)))
  }

  return {
    'GET /issues': endpoint(['repo'], mine),
    'GET /user/issues': endpoint(['repo'], mine),
    'GET /repos/:owner/:repo/issues': endpoint(['repo'], ofRepo),
    'POST /repos/:owner/:repo/issues': endpoint(['repo', 'public_repo'], publish),
    'GET /repos/:owner/:repo/issues/:number': endpoint(['repo'], (call) =>
      json(200, presentIssue(call.presenter, named(call))),
    ),
    'GET /repos/:owner/:repo/issues/:number/comments': endpoint(['repo'], (call) => {
      const issue = fieldsOf(named(call))
      const sinceMs = timeParam(call.request, 'since') ?? 0
      const items = issue.comments.filter(({ createdAtMs }) => createdAtMs >= sinceMs)
      const present = (comment: (typeof items)[number]) => presentComment(call.presenter, issue, comment)
      return pagedReply({ url: context.url(), request: call.request, items, present })
    }),
  }
}

export const blankIssue = (repo: string, number: number, login: string): IssueFields => ({
  repo,
  number,
  isPull: false,
  title: 'A new issue',
  body: null,
  login,
  assignees: [],
  mentions: [],
  labels: [],
  state: 'open',
  comments: [],
  hearts: 0,
})
