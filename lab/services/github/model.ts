/** The stored forms, from which the API's JSON is rendered. */
export interface Account {
  id: number
  login: string
  name: string
  email?: string
  bio: string
  location: string
  createdAtMs: number
}

export interface RepoFields extends Record<string, unknown> {
  owner: string
  name: string
  private: boolean
  fork: boolean
  archived: boolean
  description: string | null
  homepage: string | null
  language: string | null
  topics: string[]
  stars: number
  forks: number
  sizeKb: number
  pushedAtMs: number
  license: 'mit' | null
}

export interface Comment {
  id: number
  login: string
  body: string
  createdAtMs: number
}

export interface IssueFields extends Record<string, unknown> {
  repo: string
  number: number
  isPull: boolean
  title: string
  body: string | null
  login: string
  assignees: string[]
  mentions: string[]
  labels: string[]
  state: 'open' | 'closed'
  closedAtMs?: number
  comments: Comment[]
  hearts: number
}

export interface GistFields extends Record<string, unknown> {
  description: string | null
  public: boolean
  files: { filename: string; language: string; size: number }[]
  comments: number
}

export interface CommitFields extends Record<string, unknown> {
  message: string
  authorName: string
  authorEmail: string
  /** Absent if no account has the commit's e-mail address. */
  authorLogin?: string
  parents: string[]
}

export interface EventFields extends Record<string, unknown> {
  type: string
  login: string
  repo: string
  public: boolean
  /** Parts of the payload; completed when rendered. */
  detail: { action?: string; ref?: string; refType?: string; head?: string; before?: string; issue?: string }
}

export interface NotificationFields extends Record<string, unknown> {
  repo: string
  issue: string
  reason: string
  unread: boolean
  lastReadAtMs?: number
}

export const kinds = ['repos', 'issues', 'gists', 'starred', 'events', 'notifications', 'commits'] as const
export type Kind = (typeof kinds)[number]
