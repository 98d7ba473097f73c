import type { GithubData } from '../data.ts'
import { isoSeconds, nodeId } from '../ids.ts'
import type { Account, CommitItem, RepoItem } from '../model.ts'
import { simpleUser } from './account.ts'

/** URL fields and their suffixes to the repository's API URL. */
const addresses: Record<string, string> = {
  archive_url: '/{archive_format}{/ref}',
  assignees_url: '/assignees{/user}',
  blobs_url: '/git/blobs{/sha}',
  branches_url: '/branches{/branch}',
  collaborators_url: '/collaborators{/collaborator}',
  comments_url: '/comments{/number}',
  commits_url: '/commits{/sha}',
  compare_url: '/compare/{base}...{head}',
  contents_url: '/contents/{+path}',
  contributors_url: '/contributors',
  deployments_url: '/deployments',
  downloads_url: '/downloads',
  events_url: '/events',
  forks_url: '/forks',
  git_commits_url: '/git/commits{/sha}',
  git_refs_url: '/git/refs{/sha}',
  git_tags_url: '/git/tags{/sha}',
  hooks_url: '/hooks',
  issue_comment_url: '/issues/comments{/number}',
  issue_events_url: '/issues/events{/number}',
  issues_url: '/issues{/number}',
  keys_url: '/keys{/key_id}',
  labels_url: '/labels{/name}',
  languages_url: '/languages',
  merges_url: '/merges',
  milestones_url: '/milestones{/number}',
  notifications_url: '/notifications{?since,all,participating}',
  pulls_url: '/pulls{/number}',
  releases_url: '/releases{/id}',
  stargazers_url: '/stargazers',
  statuses_url: '/statuses/{sha}',
  subscribers_url: '/subscribers',
  subscription_url: '/subscription',
  tags_url: '/tags',
  teams_url: '/teams',
  trees_url: '/git/trees{/sha}',
}

/** What rendering depends on. */
export interface View {
  url: string
  data: GithubData
  viewer: Account
  /** The API version of the request. */
  version: string
}

export const ghost: Account = {
  id: 10_137,
  login: 'ghost',
  name: 'Deleted user',
  bio: '',
  location: '',
  createdAtMs: 0,
}
export const userOf = (view: View, login: string) => simpleUser(view, view.data.account(login) ?? ghost)

export function minimalRepo(view: View, item: RepoItem) {
  const { owner, name, description, fork, private: isPrivate } = item.fields
  const api = `${view.url}/repos/${owner}/${name}`
  return {
    id: Number(item.id),
    node_id: nodeId('R', item.id),
    name,
    full_name: `${owner}/${name}`,
    private: isPrivate,
    owner: userOf(view, owner),
    html_url: `${view.url}/${owner}/${name}`,
    description,
    fork,
    url: api,
    ...Object.fromEntries(Object.entries(addresses).map(([field, rest]) => [field, `${api}${rest}`])),
  }
}

export function fullRepo(view: View, item: RepoItem, viewer = view.viewer.login) {
  const { fields } = item
  const { owner, name } = fields
  const web = `${view.url}/${owner}/${name}`
  const openIssues = view.data.issues
    .shown(owner)
    .filter((issue) => issue.fields.repo === `${owner}/${name}` && issue.fields.state === 'open').length
  const isOwner = viewer === owner
  return {
    ...minimalRepo(view, item),
    created_at: isoSeconds(item.createdAtMs),
    updated_at: isoSeconds(item.updatedAtMs),
    pushed_at: isoSeconds(fields.pushedAtMs),
    git_url: `git://${new URL(web).host}/${owner}/${name}.git`,
    ssh_url: `git@${new URL(web).hostname}:${owner}/${name}.git`,
    clone_url: `${web}.git`,
    svn_url: web,
    homepage: fields.homepage,
    size: fields.sizeKb,
    stargazers_count: fields.stars,
    watchers_count: fields.stars,
    language: fields.language,
    has_issues: true,
    has_projects: true,
    ...(view.version === '2022-11-28' ? { has_downloads: true } : {}),
    has_wiki: true,
    has_pages: false,
    has_discussions: false,
    forks_count: fields.forks,
    mirror_url: null,
    archived: fields.archived,
    disabled: false,
    open_issues_count: openIssues,
    license: fields.license === null ? null : license(view.url),
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    topics: fields.topics,
    visibility: fields.private ? 'private' : 'public',
    forks: fields.forks,
    open_issues: openIssues,
    watchers: fields.stars,
    default_branch: 'main',
    permissions: { admin: isOwner, maintain: isOwner, push: isOwner, triage: isOwner, pull: true },
  }
}

const license = (url: string) => ({
  key: 'mit',
  name: 'MIT License',
  spdx_id: 'MIT',
  url: `${url}/licenses/mit`,
  node_id: nodeId('L', 'mit'),
})

export function presentCommit(view: View, { fullName, item }: { fullName: string; item: CommitItem }) {
  const { message, authorName, authorEmail, authorLogin, parents } = item.fields
  const api = `${view.url}/repos/${fullName}`
  const web = `${view.url}/${fullName}/commit`
  const at = { name: authorName, email: authorEmail, date: isoSeconds(item.createdAtMs) }
  const account = authorLogin === undefined ? null : userOf(view, authorLogin)
  return {
    sha: item.id,
    node_id: nodeId('C', item.id),
    commit: {
      author: at,
      committer: at,
      message,
      tree: { sha: item.id, url: `${api}/git/trees/${item.id}` },
      url: `${api}/git/commits/${item.id}`,
      comment_count: 0,
      verification: { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null },
    },
    url: `${api}/commits/${item.id}`,
    html_url: `${web}/${item.id}`,
    comments_url: `${api}/commits/${item.id}/comments`,
    author: account,
    committer: account,
    parents: parents.map((sha) => ({ sha, url: `${api}/commits/${sha}`, html_url: `${web}/${sha}` })),
  }
}
