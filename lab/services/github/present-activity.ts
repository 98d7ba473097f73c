import type { StoredItem } from '../../data/item-store.ts'
import { isoSeconds, nodeId } from './ids.ts'
import type { EventFields, GistFields, IssueFields, NotificationFields } from './model.ts'
import { presentComment, presentIssue } from './present-issue.ts'
import { fullRepo, ghost, minimalRepo, type Presenter, userOf } from './present-repo.ts'

export function presentEvent(presenter: Presenter, item: StoredItem) {
  const fields = item.fields as EventFields
  const { url, data } = presenter
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
    payload: payload(presenter, item, repo),
    public: fields.public,
    created_at: isoSeconds(item.createdAtMs),
  }
}

/** Since October 2025 payloads are short: a push has no commits, a pull request is a stub. */
function payload(presenter: Presenter, item: StoredItem, repo: StoredItem | undefined): object {
  const { type, detail, repo: fullName, login } = item.fields as EventFields
  const action = detail.action ?? 'opened'
  const about = detail.issue === undefined ? undefined : presenter.data.issue(detail.issue)
  const issue = about?.fields as IssueFields | undefined
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
      return { action, forkee: repo ? { ...fullRepo(presenter, repo, login), fork: true, public: true } : {} }
    case 'IssuesEvent':
      return { action, issue: about ? presentIssue(presenter, about) : {} }
    case 'IssueCommentEvent': {
      const comment = issue?.comments[0]
      return about && issue && comment
        ? { action, issue: presentIssue(presenter, about), comment: presentComment(presenter, issue, comment) }
        : { action }
    }
    case 'PullRequestEvent':
      return { action, number: issue?.number ?? 0, pull_request: pullStub(presenter, fullName, repo, about) }
    case 'WatchEvent':
      return { action }
    default:
      return {}
  }
}

function pullStub(presenter: Presenter, fullName: string, repo: StoredItem | undefined, about: StoredItem | undefined) {
  const number = (about?.fields as IssueFields | undefined)?.number ?? 0
  const api = `${presenter.url}/repos/${fullName}`
  const side = (ref: string) => ({
    ref,
    sha: presenter.data.store.list(fullName, 'commits')[0]?.id ?? '0'.repeat(40),
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

export function presentGist(presenter: Presenter, login: string, item: StoredItem) {
  const fields = item.fields as GistFields
  const api = `${presenter.url}/gists/${item.id}`
  const web = `${presenter.url}/gist/${item.id}`
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
        {
          filename,
          type: 'text/plain',
          language,
          raw_url: `${web}/raw/${encodeURIComponent(filename)}`,
          size,
        },
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
    owner: userOf(presenter, login),
    truncated: false,
  }
}

export function presentNotification(presenter: Presenter, item: StoredItem) {
  const fields = item.fields as NotificationFields
  const { url, data } = presenter
  const about = data.issue(fields.issue)?.fields as IssueFields | undefined
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
    repository: repo ? minimalRepo(presenter, repo) : null,
    url: `${url}/notifications/threads/${item.id}`,
    subscription_url: `${url}/notifications/threads/${item.id}/subscription`,
  }
}
