import { json, Refusal, type Reply } from '../../base/reply.ts'
import { bodyOf } from './body.ts'
import type { ApiParts, Call } from './endpoint.ts'
import { githubError, invalidField, notFound } from './errors.ts'
import { blankIssue } from './generate.ts'
import type { IssueItem } from './model.ts'
import { presentComment, presentIssue } from './present/issue.ts'
import { namedRepo } from './repo-routes.ts'

type Body = Record<string, unknown>

/** Creates, changes and closes issues, and comments on them. `named` is the issue of the path. */
export function issueWrites({ context, data }: ApiParts, named: (call: Call) => IssueItem) {
  const now = () => context.clock.now()

  /** Labels and people, as somebody with push access sets them; they are dropped from what others send. */
  function assigned(call: Call, repo: string, body: Body): { labels?: string[]; assignees?: string[] } {
    if (!hasPushAccess(call, repo)) return {}
    const assignees = textsOf(body['assignees'], 'login')
    if (assignees?.some((login) => !data.account(login)))
      throw new Refusal(invalidField('Issue', 'assignees', 'invalid'))
    const labels = textsOf(body['labels'], 'name')
    return { ...(labels === undefined ? {} : { labels }), ...(assignees === undefined ? {} : { assignees }) }
  }

  function publish(call: Call): Reply {
    const repo = namedRepo(call).fullName
    if (!call.may('public_repo')) return notFound()
    const body = bodyOf(call.request)
    const title = titleOf(body)
    if (title === undefined) return invalidField('Issue', 'title', 'missing_field')
    const text = typeof body['body'] === 'string' ? body['body'] : null
    const more = { title, body: text, ...assigned(call, repo, body) }
    const { login } = call.viewer
    const fields = { ...blankIssue(repo, data.nextNumber(repo), login), ...more }
    const issue = presentIssue(call, data.issues.add(login, String(data.nextId()), now(), fields))
    return json(201, issue, { location: issue.url })
  }

  function change(call: Call): Reply {
    const item = named(call)
    if (!call.may('public_repo')) return notFound()
    const { repo, login, isPull } = item.fields
    if (login !== call.viewer.login && !hasPushAccess(call, repo))
      return githubError(403, 'Must have admin rights to Repository.', {}, '/rest/issues/issues#update-an-issue')
    const body = bodyOf(call.request)
    const changes: Body = assigned(call, repo, body)
    if (body['title'] !== undefined && body['title'] !== null) {
      changes['title'] = titleOf(body)
      if (changes['title'] === undefined) return invalidField('Issue', 'title', 'missing_field')
    }
    if (typeof body['body'] === 'string' || body['body'] === null) changes['body'] = body['body']
    const state = body['state']
    if (state !== undefined && state !== 'open' && state !== 'closed') return invalidField('Issue', 'state', 'invalid')
    if (state !== undefined && state !== item.fields.state) {
      const reason = body['state_reason'] ?? (state === 'closed' ? 'completed' : 'reopened')
      if (!REASONS[state].some((each) => each === reason)) return invalidField('Issue', 'state_reason', 'invalid')
      Object.assign(changes, { state, closedAtMs: state === 'closed' ? now() : undefined })
      if (!isPull) changes['stateReason'] = reason
    }
    const { owner } = data.issues.find(item.id) ?? { owner: login }
    data.store.edit(owner, 'issues', item.id, changes, now())
    return json(200, presentIssue(call, item))
  }

  function comment(call: Call): Reply {
    const item = named(call)
    if (!call.may('public_repo')) return notFound()
    const { body } = bodyOf(call.request)
    if (typeof body !== 'string' || body.trim() === '') return invalidField('IssueComment', 'body', 'missing_field')
    const said = { id: data.nextId(), login: call.viewer.login, body, createdAtMs: now() }
    const { owner } = data.issues.find(item.id) ?? { owner: item.fields.login }
    data.store.edit(owner, 'issues', item.id, { comments: [...item.fields.comments, said] }, now())
    const shown = presentComment(call, { issue: item.fields, comment: said })
    return json(201, shown, { location: shown.url })
  }

  return { publish, change, comment }
}

const REASONS = { closed: ['completed', 'not_planned', 'duplicate'], open: ['reopened'] }

const hasPushAccess = ({ viewer }: Call, repo: string): boolean => repo.startsWith(`${viewer.login}/`)

/** A title is text or a number, and not empty. */
function titleOf({ title }: Body): string | undefined {
  const text = typeof title === 'number' ? String(title) : title
  return typeof text === 'string' && text.trim() !== '' ? text : undefined
}

/** A list of names, or of objects that have them. */
function textsOf(value: unknown, field: string): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.map((each: unknown) => String(typeof each === 'object' && each !== null ? (each as Body)[field] : each))
}
