import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import { createItemStore } from '../../data/item-store.ts'
import { momentsBack } from '../../data/moments.ts'
import { acquaintances } from '../../data/vocabulary.ts'
import { collectionOf } from '../../declare/collection.ts'
import * as generate from './generate.ts'
import { commitSha, gistId } from './ids.ts'
import type { Account, IssueItem, RepoItem } from './model.ts'
import { repoNames } from './sample-text.ts'

export const kinds = ['repos', 'issues', 'gists', 'starred', 'events', 'notifications', 'commits'] as const

const dayMs = 86_400_000

export type GithubData = ReturnType<typeof createGithubData>

export function createGithubData({ people, random, nowMs }: { people: Person[]; random: Random; nowMs: number }) {
  const store = createItemStore()
  const repos = collectionOf<generate.RepoFields>(store, 'repos')
  const issues = collectionOf<generate.IssueFields>(store, 'issues')
  const gists = collectionOf<generate.GistFields>(store, 'gists')
  const starred = collectionOf<{ repo: string }>(store, 'starred')
  const events = collectionOf<generate.EventFields>(store, 'events')
  const notifications = collectionOf<generate.NotificationFields>(store, 'notifications')
  /** Stored by repository, `owner/name`. */
  const commits = collectionOf<generate.CommitFields>(store, 'commits')
  const accounts = makeAccounts(people, nowMs)
  const active = new Map(people.map(({ username, activity }) => [username, activity]))
  const activityOf = (login: string) => active.get(login) ?? 12
  let lastId = 3_100_000_000
  const nextId = () => (lastId += random.int(1, 5000))
  const eventIds = new Set<number>()
  /** Event ids increase with time across all people. */
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
  const nameOf = ({ fields }: RepoItem) => `${fields.owner}/${fields.name}`

  for (const account of accounts) {
    const { login } = account
    const own = random.fork(`repos ${login}`)
    const count = activityOf(login) === 0 ? 0 : Math.max(4, Math.round(activityOf(login) / 7))
    for (const [at, createdAtMs] of momentsBack(own, count, nowMs, 1500).reverse().entries()) {
      const stem = repoNames[at % repoNames.length] ?? 'repo'
      const name = at < repoNames.length ? stem : `${stem}-${Math.floor(at / repoNames.length) + 1}`
      const fields = generate.repoFields(login, name, { random: own, createdAtMs, nowMs })
      const repo = repos.add(login, String(nextId()), createdAtMs, fields)
      if (own.chance(0.3)) repo.updatedAtMs = Math.min(nowMs, fields.pushedAtMs)
      fillCommits(account, repo, at === 0 ? activityOf(login) : 6)
    }
  }

  function fillCommits(account: Account, repo: RepoItem, count: number): void {
    const fullName = nameOf(repo)
    const own = random.fork(`commits ${fullName}`)
    const moments = momentsBack(own, count, nowMs, Math.max(1, (nowMs - repo.createdAtMs) / dayMs))
    for (const [at, createdAtMs] of moments.entries()) {
      const parents = at + 1 < moments.length ? [commitSha(fullName, at + 1)] : []
      const author = own.chance(0.8) ? account : own.pick(accounts)
      commits.add(fullName, commitSha(fullName, at), createdAtMs, generate.commitFields(own, author, parents))
    }
  }

  const publicRepos = accounts.flatMap(({ login }) => repos.list(login)).filter(({ fields }) => !fields.private)
  const following = new Map(
    accounts.map(({ login }) => {
      const others = accounts.filter((one) => one.login !== login)
      return [login, activityOf(login) === 0 ? [] : random.fork(`follows ${login}`).some(others, 36)]
    }),
  )

  for (const { username } of people) if (activityOf(username) > 0) fillPerson(username, activityOf(username))

  function fillPerson(login: string, activity: number): void {
    const own = random.fork(`more ${login}`)
    const circle = following.get(login) ?? []
    for (const createdAtMs of momentsBack(own, activity, nowMs, 900).reverse()) {
      const repo = nameOf(own.chance(0.6) ? own.pick(repos.list(login)) : own.pick(publicRepos))
      const number = nextNumber(repo)
      const seed = { random: own, createdAtMs, nowMs, repo, number, self: login, circle, nextId }
      const item = issues.add(login, String(nextId()), createdAtMs, generate.issueFields(seed))
      item.updatedAtMs = item.fields.comments.at(-1)?.createdAtMs ?? createdAtMs
      if (own.chance(0.03)) item.deletedAtMs = nowMs
    }
    for (const [at, createdAtMs] of momentsBack(own, Math.round(activity / 3), nowMs, 1200).entries()) {
      const fields = generate.gistFields({ random: own, createdAtMs, nowMs })
      const gist = gists.add(login, gistId(login, at), createdAtMs, fields)
      if (own.chance(0.2)) gist.updatedAtMs = Math.min(nowMs, createdAtMs + dayMs)
    }
    const liked = own.some(publicRepos, Math.min(activity, publicRepos.length))
    const moments = momentsBack(own, liked.length, nowMs, 1400)
    for (const [at, repo] of liked.entries()) starred.add(login, repo.id, moments[at] ?? nowMs, { repo: nameOf(repo) })
    const open = issues.shown(login)
    for (const createdAtMs of momentsBack(own, 130, nowMs, 150).reverse()) {
      const fields = generate.notificationFields({ random: own, createdAtMs, nowMs }, open)
      notifications.add(login, String(nextId()), createdAtMs, fields)
    }
  }

  for (const { login } of accounts) {
    const own = random.fork(`events ${login}`)
    const heads = repos.list(login).map((repo) => {
      const [head, before] = commits.list(nameOf(repo))
      const ids = { head: head?.id ?? '', before: before?.id ?? '0'.repeat(40) }
      return { fullName: nameOf(repo), private: repo.fields.private, ...ids }
    })
    if (heads.length === 0) continue
    const open = issues.shown(login)
    for (const createdAtMs of momentsBack(own, activityOf(login) + 10, nowMs, 29).reverse()) {
      const fields = generate.eventFields({ random: own, login, repos: heads, issues: open })
      events.add(login, eventIdAt(createdAtMs), createdAtMs, fields)
    }
  }

  const findIssue = (matches: (item: IssueItem) => boolean) =>
    accounts.flatMap(({ login }) => issues.list(login)).find(matches)
  return {
    store,
    repos,
    issues,
    gists,
    starred,
    events,
    notifications,
    commits,
    accounts,
    account: (login: string) => accounts.find((one) => one.login === login),
    following: (login: string) => following.get(login) ?? [],
    followers: (login: string) =>
      accounts.filter((one) => following.get(one.login)?.some((followed) => followed.login === login)),
    nameOf,
    repo: (fullName: string) => repos.list(fullName.split('/')[0] ?? '').find((item) => nameOf(item) === fullName),
    /** By the store's id, visible or not. */
    issue: (id: string) => findIssue((item) => item.id === id),
    issueAt: (repo: string, number: number) =>
      findIssue(({ fields }) => fields.repo === repo && fields.number === number),
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
