import type { DataControl, ServiceContext } from '../../base/service-parts.ts'
import { InvalidSetting } from '../../base/settings.ts'
import { storeControl } from '../../data/store-control.ts'
import type { GithubData } from './data.ts'
import { commitSha, gistId } from './ids.ts'
import { blankIssue } from './issue-routes.ts'
import { type Kind, kinds } from './model.ts'

/** Lets tests change the stored data. Commits belong to a repository (`ada/bread-timer`), everything else to a person. */
export function githubControl(context: ServiceContext, data: GithubData): DataControl {
  const { clock } = context
  const idOf = (owner: string, kind: Kind, fields: Record<string, unknown>): string => {
    if (kind === 'gists') return gistId(owner, data.nextId())
    if (kind === 'commits') return commitSha(owner, data.nextId())
    if (kind === 'events') return data.eventIdAt(clock.now())
    if (kind === 'starred') return data.repo(textOf(fields['repo']))?.id ?? ''
    return String(data.nextId())
  }
  const blankOf = (owner: string, kind: Kind, fields: Record<string, unknown>): Record<string, unknown> => {
    const firstRepo = data.store.list(owner, 'repos')[0]
    const repo = textOf(fields['repo'] ?? `${owner}/${textOf(firstRepo?.fields['name'])}`)
    const now = clock.now()
    switch (kind) {
      case 'repos':
        return { ...firstRepo?.fields, owner, name: `new-${data.nextId()}`, private: false, stars: 0, pushedAtMs: now }
      case 'issues':
        return blankIssue(repo, data.nextNumber(repo), owner)
      case 'gists':
        return {
          description: null,
          public: true,
          files: [{ filename: 'new.txt', language: 'Text', size: 1 }],
          comments: 0,
        }
      case 'starred':
        return { repo }
      case 'events':
        return { type: 'WatchEvent', login: owner, repo, public: true, detail: { action: 'started' } }
      case 'notifications':
        return { repo, issue: data.store.list(owner, 'issues')[0]?.id ?? '', reason: 'mention', unread: true }
      case 'commits':
        return { message: 'New', authorName: owner, authorEmail: 'root@localhost', parents: [] }
      default:
        return kind satisfies never
    }
  }
  const controlOf = (owner: string, name: string, fields: Record<string, unknown> = {}): DataControl => {
    const kind = kinds.find((one) => one === name)
    if (!kind) throw new InvalidSetting(`kind must be one of ${kinds.join(', ')}`)
    return storeControl({
      store: data.store,
      clock,
      kinds,
      nextId: () => idOf(owner, kind, fields),
      blank: () => blankOf(owner, kind, fields),
    })
  }
  return {
    add: (owner, kind, fields) => controlOf(owner, kind, fields).add(owner, kind, fields),
    edit: (owner, kind, id, fields) => controlOf(owner, kind).edit(owner, kind, id, fields),
    remove: (owner, kind, id) => controlOf(owner, kind).remove(owner, kind, id),
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
