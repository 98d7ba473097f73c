import type { Random } from '../../base/random.ts'
import { comments, sentences } from '../../data/vocabulary.ts'
import type { Account, IssueItem } from './model.ts'
import { commitMessages, issueTitles, labelNames, languages } from './sample-text.ts'

interface Seed {
  random: Random
  createdAtMs: number
  nowMs: number
}

export type RepoFields = ReturnType<typeof repoFields>

export function repoFields(owner: string, name: string, { random, createdAtMs, nowMs }: Seed) {
  return {
    owner,
    name,
    private: random.chance(0.2),
    fork: random.chance(0.15),
    archived: random.chance(0.05),
    description: random.chance(0.15) ? null : random.pick(sentences),
    homepage: random.chance(0.3) ? `https://${owner}.tumblr.com/` : null,
    language: random.pick(languages),
    topics: random.some(['bread', 'maps', 'trains', 'music'], random.int(0, 3)),
    stars: random.int(0, 400),
    forks: random.int(0, 30),
    sizeKb: random.int(1, 90_000),
    pushedAtMs: Math.min(nowMs, createdAtMs + random.int(1, 400) * 86_400_000),
    license: random.chance(0.5) ? 'mit' : null,
  }
}

interface IssueSeed extends Seed {
  repo: string
  number: number
  self: string
  circle: readonly Account[]
  nextId: () => number
}

export type IssueFields = ReturnType<typeof issueFields> & { stateReason?: string }
export type Comment = IssueFields['comments'][number]

export function issueFields(seed: IssueSeed) {
  const { random, self, circle, createdAtMs, nowMs } = seed
  const role = random.pick(['created', 'assigned', 'mentioned', 'other'] as const)
  const others = random.some(circle, random.int(1, 4)).map(({ login }) => login)
  const other = others[0] ?? self
  const closed = random.chance(0.45)
  const talkers = random.chance(0.6) ? random.some(circle, random.int(1, 5)) : []
  const mentions = role === 'mentioned' ? [self] : random.chance(0.2) ? [other] : []
  const words = [random.pick(sentences), ...mentions.map((login) => `@${login}`)].join('\n\n')
  return {
    repo: seed.repo,
    number: seed.number,
    isPull: random.chance(0.25),
    title: random.pick(issueTitles),
    body: random.chance(0.1) ? null : words,
    login: role === 'created' ? self : other,
    assignees: role === 'assigned' ? [self, ...others.slice(1, 3)] : [],
    mentions,
    labels: random.some(labelNames, random.int(0, 3)),
    state: closed ? 'closed' : 'open',
    ...(closed ? { closedAtMs: Math.min(nowMs, createdAtMs + random.int(1, 900) * 60_000) } : {}),
    comments: talkers.map(({ login }, at) => ({
      id: seed.nextId(),
      login,
      body: random.pick(comments),
      createdAtMs: Math.min(nowMs, createdAtMs + (at + 1) * 600_000),
    })),
    hearts: random.int(0, 9),
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

export type GistFields = ReturnType<typeof gistFields>

export function gistFields({ random }: Seed) {
  const filename = random.pick(['notes.md', 'oven.ts', '🥖.txt', '地図.json', 'Dockerfile'])
  const more = random.chance(0.3) ? [{ filename: 'LICENSE', language: 'Text', size: 1063 }] : []
  return {
    description: random.chance(0.2) ? null : random.pick(sentences),
    public: random.chance(0.7),
    files: [
      { filename, language: filename.endsWith('.ts') ? 'TypeScript' : 'Text', size: random.int(1, 9000) },
      ...more,
    ],
    comments: random.int(0, 4),
  }
}

/** `authorLogin` is absent if no account has the commit's e-mail address. */
export type CommitFields = ReturnType<typeof commitFields>

export function commitFields(random: Random, author: Account, parents: string[]) {
  const known = random.chance(0.9)
  return {
    message: random.pick(commitMessages),
    authorName: author.name,
    authorEmail: known ? `${author.id}+${author.login}@users.noreply.github.test` : 'root@localhost',
    ...(known ? { authorLogin: author.login } : {}),
    parents,
  }
}

const eventTypes = [
  'PushEvent',
  'PushEvent',
  'PushEvent',
  'WatchEvent',
  'IssuesEvent',
  'IssueCommentEvent',
  'PullRequestEvent',
  'CreateEvent',
  'DeleteEvent',
  'ForkEvent',
  'PublicEvent',
] as const

export interface EventFields {
  type: string
  login: string
  repo: string
  public: boolean
  /** Parts of the payload; completed when rendered. */
  detail: { action?: string; ref?: string; refType?: string; head?: string; before?: string; issue?: string }
}

interface EventSeed {
  random: Random
  login: string
  repos: readonly { fullName: string; private: boolean; head: string; before: string }[]
  issues: readonly { id: string; fields: IssueFields }[]
}

export function eventFields({ random, login, repos, issues }: EventSeed): EventFields {
  const repo = random.pick(repos)
  const type = random.pick(eventTypes)
  const wantsPull = type === 'PullRequestEvent'
  const aboutIssue = wantsPull || type === 'IssuesEvent' || type === 'IssueCommentEvent'
  const matching = issues.filter(
    ({ fields }) => fields.isPull === wantsPull && (type !== 'IssueCommentEvent' || fields.comments.length > 0),
  )
  const base = { login, repo: repo.fullName, public: !repo.private }
  if (aboutIssue && matching.length > 0) {
    const issue = random.pick(matching)
    const action = type === 'IssueCommentEvent' ? 'created' : random.pick(['opened', 'closed'])
    return { ...base, repo: issue.fields.repo, public: true, type, detail: { action, issue: issue.id } }
  }
  if (type === 'CreateEvent' || type === 'DeleteEvent')
    return { ...base, type, detail: { refType: 'branch', ref: random.pick(['proofing', 'fix/🥖', 'release-2']) } }
  if (type === 'WatchEvent') return { ...base, type, detail: { action: 'started' } }
  if (type === 'ForkEvent') return { ...base, type, detail: { action: 'forked' } }
  if (type === 'PublicEvent') return { ...base, type, detail: {} }
  return { ...base, type: 'PushEvent', detail: { ref: 'refs/heads/main', head: repo.head, before: repo.before } }
}

export type NotificationFields = ReturnType<typeof notificationFields>

export function notificationFields({ random, createdAtMs, nowMs }: Seed, issues: readonly IssueItem[]) {
  const about = random.pick(issues)
  const unread = random.chance(0.4)
  return {
    repo: about.fields.repo,
    issue: about.id,
    reason: random.pick(['mention', 'assign', 'subscribed', 'author', 'comment', 'review_requested']),
    unread,
    ...(unread ? {} : { lastReadAtMs: Math.min(nowMs, createdAtMs + 3_600_000) }),
  }
}
