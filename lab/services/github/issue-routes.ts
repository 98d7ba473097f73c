import { first } from '../../base/pairs.ts'
import { json, Refusal, type Reply } from '../../base/reply.ts'
import { jsonOf } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import type { ApiParts, Ask, Asked } from './ask.ts'
import { githubError, invalidField, notFound } from './errors.ts'
import type { IssueFields, RepoFields } from './model.ts'
import { choiceParam, pagedReply, timeParam } from './page.ts'
import { presentComment, presentIssue, presentListedIssue } from './present-issue.ts'
import { namedRepo } from './repo-routes.ts'

const fieldsOf = (item: StoredItem): IssueFields => item.fields as IssueFields

export function issueRoutes({ context, data }: ApiParts, ask: Ask): Routes {
  /** The parameters that all issue lists share. */
  function chosen({ request }: Asked, items: StoredItem[]): StoredItem[] {
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

  function mine(asked: Asked): Reply {
    const { request, viewer, may, presenter } = asked
    const filter = choiceParam(request, 'filter', ['assigned', 'created', 'mentioned', 'subscribed', 'repos', 'all'])
    const seen = data.store.list(viewer.login, 'issues').filter((item) => {
      const { login, assignees, mentions, repo } = fieldsOf(item)
      if ((data.repo(repo)?.fields as RepoFields | undefined)?.private && !may('repo')) return false
      if (filter === 'assigned') return assignees.includes(viewer.login)
      if (filter === 'created') return login === viewer.login
      return filter !== 'mentioned' || mentions.includes(viewer.login)
    })
    const present = (item: StoredItem) => presentListedIssue(presenter, item, viewer.login)
    return pagedReply({ url: context.url(), request, items: chosen(asked, seen), present })
  }

  function ofRepo(asked: Asked): Reply {
    namedRepo(asked)
    const { owner, repo } = asked.params
    const items = data.accounts.flatMap(({ login }) =>
      data.store.list(login, 'issues').filter((item) => fieldsOf(item).repo === `${owner}/${repo}`),
    )
    const present = (item: StoredItem) => presentIssue(asked.presenter, item)
    return pagedReply({ url: context.url(), request: asked.request, items: chosen(asked, items), present })
  }

  /** A deleted issue is gone, which is told apart from one that never was. */
  function named(asked: Asked): StoredItem {
    namedRepo(asked)
    const { owner, repo, number } = asked.params
    const item = data.issueAt(`${owner}/${repo}`, Number(number))
    if (!item) throw new Refusal(notFound())
    if (!isShown(item)) throw new Refusal(githubError(410, 'This issue was deleted'))
    return item
  }

  function publish(asked: Asked): Reply {
    namedRepo(asked)
    if (!asked.may('public_repo')) return notFound()
    const { title, body } = jsonOf(asked.request)
    if (typeof title !== 'string' || title === '') return invalidField('Issue', 'title', 'missing_field')
    const repo = `${asked.params['owner']}/${asked.params['repo']}`
    const now = context.clock.now()
    const { login } = asked.viewer
    const fields = {
      ...blankIssue(repo, data.nextNumber(repo), login),
      title,
      body: typeof body === 'string' ? body : null,
    }
    const item = { id: String(data.nextId()), createdAtMs: now, updatedAtMs: now, fields }
    return json(201, presentIssue(asked.presenter, data.store.put(login, 'issues', item)))
  }

  return {
    'GET /issues': ask(['repo'], mine),
    'GET /user/issues': ask(['repo'], mine),
    'GET /repos/:owner/:repo/issues': ask(['repo'], ofRepo),
    'POST /repos/:owner/:repo/issues': ask(['repo', 'public_repo'], publish),
    'GET /repos/:owner/:repo/issues/:number': ask(['repo'], (asked) =>
      json(200, presentIssue(asked.presenter, named(asked))),
    ),
    'GET /repos/:owner/:repo/issues/:number/comments': ask(['repo'], (asked) => {
      const issue = fieldsOf(named(asked))
      const sinceMs = timeParam(asked.request, 'since') ?? 0
      const items = issue.comments.filter(({ createdAtMs }) => createdAtMs >= sinceMs)
      const present = (comment: (typeof items)[number]) => presentComment(asked.presenter, issue, comment)
      return pagedReply({ url: context.url(), request: asked.request, items, present })
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
