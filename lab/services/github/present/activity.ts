import { isoSeconds, nodeId } from '../ids.ts'
import type { EventItem, GistItem, IssueItem, NotificationItem, RepoItem } from '../model.ts'
import { presentComment, presentIssue } from './issue.ts'
import { fullRepo, ghost, minimalRepo, userOf, type View } from './repo.ts'

export function presentEvent(view: View, item: EventItem) {
  const { fields } = item
  const { url, data } = view
  const { id, login } = data.account(fields.login) ?? ghost
  const repo = data.repo(fields.repo)
  return {
    id: item.id,
    type: fields.type,
    actor: {
      id,
      login,
      display_login: login,
      gravatar_id: '',
      url: `${url}/users/${login}`,
      avatar_url: `${url}/avatars/u/${id}?`,
    },
    repo: { id: Number(repo?.id ?? 0), name: fields.repo, url: `${url}/repos/${fields.repo}` },
    payload: payload(view, item, repo),
    public: fields.public,
    created_at: isoSeconds(item.createdAtMs),
  }
}

/** Since October 2025 payloads are short: a push has no commits, a pull request is a stub. */
function payload(view: View, item: EventItem, repo: RepoItem | undefined): object {
  const { type, detail, repo: fullName, login } = item.fields
  const action = detail.action ?? 'opened'
  const about = detail.issue === undefined ? undefined : view.data.issue(detail.issue)
  const issue = about?.fields
  const branch = { ref: detail.ref ?? 'main', ref_type: 'branch', pusher_type: 'user' }
  switch (type) {
    case 'PushEvent': {
      const { ref = 'refs/heads/main', head = '', before = '' } = detail
      const push_id = Number(item.id) - 10_000_000_000
      return { repository_id: Number(repo?.id ?? 0), push_id, ref, head, before }
    }
    case 'CreateEvent':
      return { ...branch, full_ref: `refs/heads/${branch.ref}`, master_branch: 'main', description: null }
    case 'DeleteEvent':
      return { ...branch, full_ref: `refs/heads/${branch.ref}` }
    case 'ForkEvent':
      return { action, forkee: repo ? { ...fullRepo(view, repo, login), fork: true, public: true } : {} }
    case 'IssuesEvent':
      return { action, issue: about ? presentIssue(view, about) : {} }
    case 'IssueCommentEvent': {
      const comment = issue?.comments[0]
      return about && issue && comment
        ? { action, issue: presentIssue(view, about), comment: presentComment(view, { issue, comment }) }
        : { action }
    }
    case 'PullRequestEvent':
      return { action, number: issue?.number ?? 0, pull_request: pullStub(view, fullName, repo, about) }
    case 'WatchEvent':
      return { action }
    default:
      return {}
  }
}

function pullStub(view: View, fullName: string, repo: RepoItem | undefined, about: IssueItem | undefined) {
  const number = about?.fields.number ?? 0
  const api = `${view.url}/repos/${fullName}`
  const side = (ref: string) => ({
    ref,
    sha: view.data.commits.list(fullName)[0]?.id ?? '0'.repeat(40),
    repo: { id: Number(repo?.id ?? 0), url: api, name: fullName.split('/')[1] },
  })
  return {
    url: `${api}/pulls/${number}`,
    id: Number(about?.id ?? 0),
    number,
    head: side('proofing'),
    base: side('main'),
  }
}

export function presentGist(view: View, { owner, item }: { owner: string; item: GistItem }) {
  const { fields } = item
  const api = `${view.url}/gists/${item.id}`
  const web = `${view.url}/gist/${item.id}`
  return {
    url: api,
    forks_url: `${api}/forks`,
    commits_url: `${api}/commits`,
    id: item.id,
    node_id: nodeId('G', item.id),
    git_pull_url: `${web}.git`,
    git_push_url: `${web}.git`,
    html_url: web,
    files: Object.fromEntries(
      fields.files.map(({ filename, language, size }) => [
        filename,
        { filename, type: 'text/plain', language, raw_url: `${web}/raw/${encodeURIComponent(filename)}`, size },
      ]),
    ),
    public: fields.public,
    created_at: isoSeconds(item.createdAtMs),
    updated_at: isoSeconds(item.updatedAtMs),
    description: fields.description,
    comments: fields.comments,
    user: null,
    comments_enabled: true,
    comments_url: `${api}/comments`,
    owner: userOf(view, owner),
    truncated: false,
  }
}

export function presentNotification(view: View, item: NotificationItem) {
  const { fields } = item
  const { url, data } = view
  const about = data.issue(fields.issue)?.fields
  const repo = data.repo(fields.repo)
  const kind = about?.isPull ? 'pulls' : 'issues'
  const subject = `${url}/repos/${fields.repo}/${kind}/${about?.number ?? 0}`
  return {
    id: item.id,
    unread: fields.unread,
    reason: fields.reason,
    updated_at: isoSeconds(item.updatedAtMs),
    last_read_at: fields.lastReadAtMs === undefined ? null : isoSeconds(fields.lastReadAtMs),
    subject: {
      title: about?.title ?? '',
      url: subject,
      latest_comment_url: subject,
      type: about?.isPull ? 'PullRequest' : 'Issue',
    },
    repository: repo ? minimalRepo(view, repo) : null,
    url: `${url}/notifications/threads/${item.id}`,
    subscription_url: `${url}/notifications/threads/${item.id}/subscription`,
  }
}
