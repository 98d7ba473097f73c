import type * as api from './generated/api.ts'

interface OwnTypes {
  photos: api.PhotoItem
  videos: api.VideoItem
  statuses: api.StatusItem
  news: api.NewsItem
  checkins: api.CheckinItem
  events: api.EventItem
  messages: api.MessageItem
  files: api.FileItem
  tracks: api.TrackItem
  activities: api.ActivityItem
  measures: api.MeasureItem
  contacts: api.ContactItem
}

/** The shape of items, by the type that is read. */
export interface ItemTypes extends OwnTypes {
  photos_feed: api.PhotoItem
  videos_feed: api.VideoItem
  statuses_feed: api.StatusItem
  news_feed: api.NewsItem
  checkins_feed: api.CheckinItem
  all: api.Item
  all_feed: api.Item
}

/** Items of a query: with `fields` or `select` they have only what was named. */
export type Selected<Query, T> = Query extends
  | { fields: string | readonly string[] }
  | { select: string | readonly string[] }
  ? Record<string, unknown>
  : T
