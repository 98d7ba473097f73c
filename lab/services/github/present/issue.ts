import type { Comment, IssueFields } from '../generate.ts'
import { isoSeconds, nodeId } from '../ids.ts'
import type { IssueItem } from '../model.ts'
import { labelNames } from '../sample-text.ts'
import { fullRepo, userOf, type View } from './repo.ts'

export function presentIssue(view: View, item: IssueItem) {
  const { fields } = item
  const { url } = view
  const repoApi = `${url}/repos/${fields.repo}`
  const api = `${repoApi}/issues/${fields.number}`
  const web = `${url}/${fields.repo}/${fields.isPull ? 'pull' : 'issues'}/${fields.number}`
  const assignees = fields.assignees.map((login) => userOf(view, login))
  const closed = fields.state === 'closed'
  return {
    url: api,
    repository_url: repoApi,
    labels_url: `${api}/labels{/name}`,
    comments_url: `${api}/comments`,
    events_url: `${api}/events`,
    html_url: web,
    id: Number(item.id),
    node_id: nodeId(fields.isPull ? 'PR' : 'I', item.id),
    number: fields.number,
    title: fields.title,
    user: userOf(view, fields.login),
    labels: fields.labels.map((name) => presentLabel(repoApi, name)),
    state: fields.state,
    locked: false,
    ...(view.version === '2022-11-28' ? { assignee: assignees[0] ?? null } : {}),
    assignees,
    milestone: null,
    comments: fields.comments.length,
    created_at: isoSeconds(item.createdAtMs),
    updated_at: isoSeconds(item.updatedAtMs),
    closed_at: closed ? isoSeconds(fields.closedAtMs ?? item.updatedAtMs) : null,
    author_association: fields.repo.startsWith(`${fields.login}/`) ? 'OWNER' : 'CONTRIBUTOR',
    active_lock_reason: null,
    ...(fields.isPull ? { draft: false, pull_request: pullLinks(repoApi, web, fields.number) } : {}),
    body: fields.body,
    reactions: reactions(`${api}/reactions`, fields.hearts),
    timeline_url: `${api}/timeline`,
    performed_via_github_app: null,
    state_reason: fields.stateReason ?? (closed && !fields.isPull ? 'completed' : null),
  }
}

/** Lists across repositories include the repository of each issue. */
export function presentListedIssue(view: View, item: IssueItem) {
  const repo = view.data.repo(item.fields.repo)
  return { ...presentIssue(view, item), ...(repo ? { repository: fullRepo(view, repo) } : {}) }
}

export function presentComment(view: View, { issue, comment }: { issue: IssueFields; comment: Comment }) {
  const repoApi = `${view.url}/repos/${issue.repo}`
  const api = `${repoApi}/issues/comments/${comment.id}`
  const web = `${view.url}/${issue.repo}/${issue.isPull ? 'pull' : 'issues'}/${issue.number}`
  return {
    url: api,
    html_url: `${web}#issuecomment-${comment.id}`,
    issue_url: `${repoApi}/issues/${issue.number}`,
    id: comment.id,
    node_id: nodeId('IC', comment.id),
    user: userOf(view, comment.login),
    created_at: isoSeconds(comment.createdAtMs),
    updated_at: isoSeconds(comment.createdAtMs),
    author_association: 'CONTRIBUTOR',
    body: comment.body,
    reactions: reactions(`${api}/reactions`, 0),
    performed_via_github_app: null,
  }
}

const pullLinks = (repoApi: string, web: string, number: number) => ({
  url: `${repoApi}/pulls/${number}`,
  html_url: web,
  diff_url: `${web}.diff`,
  patch_url: `${web}.patch`,
  merged_at: null,
})

function presentLabel(repoApi: string, name: string) {
  const id = 208_045_946 + labelNames.indexOf(name)
  return {
    id,
    node_id: nodeId('LA', id),
    url: `${repoApi}/labels/${encodeURIComponent(name)}`,
    name,
    color: 'f29513',
    default: name === 'bug',
    description: null,
  }
}

const reactions = (url: string, hearts: number) => ({
  url,
  total_count: hearts,
  '+1': 0,
  '-1': 0,
  laugh: 0,
  hooray: 0,
  confused: 0,
  heart: hearts,
  rocket: 0,
  eyes: 0,
})
