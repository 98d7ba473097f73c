import type { StoredItem } from '../../data/item-store.ts'
import type { CommitFields, EventFields, GistFields, IssueFields, NotificationFields, RepoFields } from './generate.ts'

export interface Account {
  id: number
  login: string
  name: string
  email?: string
  bio: string
  location: string
  createdAtMs: number
}

/** The stored forms, from which the API's JSON is rendered. */
export type RepoItem = StoredItem<RepoFields>
export type IssueItem = StoredItem<IssueFields>
export type GistItem = StoredItem<GistFields>
export type CommitItem = StoredItem<CommitFields>
export type EventItem = StoredItem<EventFields>
export type NotificationItem = StoredItem<NotificationFields>
