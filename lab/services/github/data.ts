import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import { createItemStore, type ItemStore, isShown, type StoredItem } from '../../data/item-store.ts'
import { momentsBack } from '../../data/moments.ts'
import { acquaintances } from '../../data/vocabulary.ts'
import { commitFields, eventFields, gistFields, issueFields, repoFields } from './generate.ts'
import { commitSha, gistId } from './ids.ts'
import type { Account, IssueFields, NotificationFields, RepoFields } from './model.ts'
import { repoNames } from './sample-text.ts'

export interface GithubData {
  store: ItemStore
  accounts: readonly Account[]
  account(login: string): Account | undefined
  followers(login: string): Account[]
  following(login: string): Account[]
  repo(fullName: string): StoredItem | undefined
  /** By the store's id, visible or not. */
  issue(id: string): StoredItem | undefined
  issueAt(repo: string, number: number): StoredItem | undefined
  nextId: () => number
  /** Event ids increase with time across all people. */
  eventIdAt(ms: number): string
  nextNumber(repo: string): number
}

const dayMs = 86_400_000

export function createGithubData(parts: { people: Person[]; random: Random; nowMs: number }): GithubData {
  const { people, random, nowMs } = parts
  const store = createItemStore()
  const accounts = makeAccounts(people, nowMs)
  const active = new Map(people.map(({ username, activity }) => [username, activity]))
  const activityOf = (login: string) => active.get(login) ?? 12
  let lastId = 3_100_000_000
  const nextId = () => (lastId += random.int(1, 5000))
  const eventIds = new Set<number>()
  const eventIdAt = (ms: number) => {
    let id = 30_000_000_000 + Math.floor((ms - 1_420_070_400_000) / 1000) * 50
    while (eventIds.has(id)) id += 1
    eventIds.add(id)
    return String(id)
  }
  const numbers = new Map<string, number>()
  const nextNumber = (repo: string) => {
    const number = (numbers.get(repo) ?? 0) + 1
    numbers.set(repo, number)
    return number
  }
  const put = (owner: string, kind: string, id: string, createdAtMs: number, fields: Record<string, unknown>) =>
    store.put(owner, kind, { id, createdAtMs, updatedAtMs: createdAtMs, fields })

  for (const account of accounts) {
    const own = random.fork(`repos ${account.login}`)
    const count = activityOf(account.login) === 0 ? 0 : Math.max(4, Math.round(activityOf(account.login) / 7))
    for (const [at, createdAtMs] of momentsBack(own, count, nowMs, 1500).reverse().entries()) {
      const stem = repoNames[at % repoNames.length] ?? 'repo'
      const name = at < repoNames.length ? stem : `${stem}-${Math.floor(at / repoNames.length) + 1}`
      const fields = repoFields(account.login, name, { random: own, createdAtMs, nowMs })
      const repo = put(account.login, 'repos', String(nextId()), createdAtMs, fields)
      if (own.chance(0.3)) repo.updatedAtMs = Math.min(nowMs, fields.pushedAtMs)
      fillCommits(account, `${account.login}/${name}`, createdAtMs, at === 0 ? activityOf(account.login) : 6)
    }
  }

  function fillCommits(account: Account, fullName: string, fromMs: number, count: number): void {
    const own = random.fork(`commits ${fullName}`)
    const moments = momentsBack(own, count, nowMs, Math.max(1, (nowMs - fromMs) / dayMs))
    for (const [at, createdAtMs] of moments.entries()) {
      const parents = at + 1 < moments.length ? [commitSha(fullName, at + 1)] : []
      const author = own.chance(0.8) ? account : own.pick(accounts)
      put(fullName, 'commits', commitSha(fullName, at), createdAtMs, commitFields(own, author, parents))
    }
  }

  const allRepos = accounts.flatMap(({ login }) => store.list(login, 'repos'))
  const nameOf = ({ fields }: StoredItem) => `${(fields as RepoFields).owner}/${(fields as RepoFields).name}`
  const publicRepos = allRepos.filter(({ fields }) => !(fields as RepoFields).private)
  const following = new Map(
    accounts.map(({ login }) => {
      const others = accounts.filter((one) => one.login !== login)
      const isNew = active.get(login) === 0
      return [login, isNew ? [] : random.fork(`follows ${login}`).some(others, 36)]
    }),
  )

  for (const { username } of people) {
    const activity = activityOf(username)
    if (activity === 0) continue
    const own = random.fork(`more ${username}`)
    const circle = following.get(username) ?? []
    const ownRepos = store.list(username, 'repos')
    for (const createdAtMs of momentsBack(own, activity, nowMs, 900).reverse()) {
      const repo = nameOf(own.chance(0.6) ? own.pick(ownRepos) : own.pick(publicRepos))
      const number = nextNumber(repo)
      const seed = { random: own, createdAtMs, nowMs, repo, number, self: username, circle, nextId }
      const item = put(username, 'issues', String(nextId()), createdAtMs, issueFields(seed))
      const { comments } = item.fields as IssueFields
      item.updatedAtMs = comments.at(-1)?.createdAtMs ?? createdAtMs
      if (own.chance(0.03)) item.deletedAtMs = nowMs
    }
    for (const [at, createdAtMs] of momentsBack(own, Math.round(activity / 3), nowMs, 1200).entries()) {
      const gist = put(
        username,
        'gists',
        gistId(username, at),
        createdAtMs,
        gistFields({ random: own, createdAtMs, nowMs }),
      )
      if (own.chance(0.2)) gist.updatedAtMs = Math.min(nowMs, createdAtMs + dayMs)
    }
    const liked = own.some(publicRepos, Math.min(activity, publicRepos.length))
    for (const [at, createdAtMs] of momentsBack(own, liked.length, nowMs, 1400).entries()) {
      const repo = liked[at]
      if (repo) put(username, 'starred', repo.id, createdAtMs, { repo: nameOf(repo) })
    }
    const issues = store.list(username, 'issues').filter(isShown)
    for (const createdAtMs of momentsBack(own, 130, nowMs, 150).reverse()) {
      const about = own.pick(issues)
      const unread = own.chance(0.4)
      const fields: NotificationFields = {
        repo: (about.fields as IssueFields).repo,
        issue: about.id,
        reason: own.pick(['mention', 'assign', 'subscribed', 'author', 'comment', 'review_requested']),
        unread,
        ...(unread ? {} : { lastReadAtMs: Math.min(nowMs, createdAtMs + 3_600_000) }),
      }
      put(username, 'notifications', String(nextId()), createdAtMs, fields)
    }
  }

  for (const { login } of accounts) {
    const own = random.fork(`events ${login}`)
    const heads = store.list(login, 'repos').map((repo) => {
      const fullName = nameOf(repo)
      const commits = store.list(fullName, 'commits')
      const isPrivate = (repo.fields as RepoFields).private
      return { fullName, private: isPrivate, head: commits[0]?.id ?? '', before: commits[1]?.id ?? '0'.repeat(40) }
    })
    if (heads.length === 0) continue
    const issues = store
      .list(login, 'issues')
      .filter(isShown)
      .map(({ id, fields }) => {
        const { isPull, comments, repo } = fields as IssueFields
        return { id, isPull, hasComment: comments.length > 0, repo }
      })
    for (const createdAtMs of momentsBack(own, activityOf(login) + 10, nowMs, 29).reverse()) {
      const fields = eventFields({ random: own, login, repos: heads, issues })
      put(login, 'events', eventIdAt(createdAtMs), createdAtMs, fields)
    }
  }

  const findIssue = (matches: (item: StoredItem) => boolean) => {
    for (const { login } of accounts) {
      const item = store.list(login, 'issues').find(matches)
      if (item) return item
    }
    return undefined
  }
  return {
    store,
    accounts,
    account: (login) => accounts.find((one) => one.login === login),
    following: (login) => following.get(login) ?? [],
    followers: (login) =>
      accounts.filter((one) => following.get(one.login)?.some((followed) => followed.login === login)),
    repo(fullName) {
      const [owner = ''] = fullName.split('/')
      return store.list(owner, 'repos').find((item) => nameOf(item) === fullName)
    },
    issue: (id) => findIssue((item) => item.id === id),
    issueAt: (repo, number) =>
      findIssue(({ fields }) => (fields as IssueFields).repo === repo && (fields as IssueFields).number === number),
    nextId,
    eventIdAt,
    nextNumber,
  }
}

function makeAccounts(people: Person[], nowMs: number): Account[] {
  const since = (days: number) => nowMs - days * dayMs
  const own = people.map(({ id, username: login, name, email, bio, city: location }, at): Account => {
    const account = { id: Number(id), login, name, bio, location, createdAtMs: since((at + 3) * 400) }
    return email === undefined ? account : { ...account, email }
  })
  const others = acquaintances(40, (at) => String(21_400_000 + at * 97))
  return [
    ...own,
    ...others.map(({ id, username: login, name }, at): Account => {
      return { id: Number(id), login, name, bio: '', location: '', createdAtMs: since((at + 1) * 90) }
    }),
  ]
}
