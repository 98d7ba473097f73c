import type { DataControl, ServiceContext } from '../../base/service-parts.ts'
import { storeControl } from '../../data/store-control.ts'
import { type GithubData, kinds } from './data.ts'
import { blankIssue } from './generate.ts'
import { commitSha, gistId } from './ids.ts'

/** Lets tests change the stored data. Commits belong to a repository (`ada/bread-timer`), everything else to a person. */
export function githubControl({ clock }: ServiceContext, data: GithubData): DataControl {
  const { nextId } = data
  const ids: Record<string, (owner: string, fields: Record<string, unknown>) => string> = {
    gists: (owner) => gistId(owner, nextId()),
    commits: (owner) => commitSha(owner, nextId()),
    events: () => data.eventIdAt(clock.now()),
    starred: (_owner, fields) => data.repo(textOf(fields['repo']))?.id ?? '',
  }
  const file = { filename: 'new.txt', language: 'Text', size: 1 }
  const blanks: Record<(typeof kinds)[number], (owner: string, repo: string) => object> = {
    repos: (owner) => ({
      ...data.repos.list(owner)[0]?.fields,
      owner,
      name: `new-${nextId()}`,
      private: false,
      stars: 0,
      pushedAtMs: clock.now(),
    }),
    issues: (owner, repo) => blankIssue(repo, data.nextNumber(repo), owner),
    gists: () => ({ description: null, public: true, files: [file], comments: 0 }),
    starred: (_owner, repo) => ({ repo }),
    events: (login, repo) => ({ type: 'WatchEvent', login, repo, public: true, detail: { action: 'started' } }),
    notifications: (owner, repo) => ({
      repo,
      issue: data.issues.list(owner)[0]?.id ?? '',
      reason: 'mention',
      unread: true,
    }),
    commits: (owner) => ({ message: 'New', authorName: owner, authorEmail: 'root@localhost', parents: [] }),
  }
  return storeControl({
    store: data.store,
    clock,
    kinds,
    nextId: ({ owner, kind, fields }) => ids[kind]?.(owner, fields) ?? String(nextId()),
    blank: (kind, { owner, fields }) => {
      const repo = textOf(fields['repo'] ?? `${owner}/${textOf(data.repos.list(owner)[0]?.fields.name)}`)
      return { ...blanks[kind as keyof typeof blanks](owner, repo) }
    },
  })
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
