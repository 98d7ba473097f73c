import { type Endpoint, endpoint } from '#kit/endpoints/endpoint.ts'
import { cursorPages } from '#kit/endpoints/pages.ts'
import { YOUTUBE } from './scopes.ts'
import {
  type Channel,
  channel,
  type Playlist,
  type PlaylistItem,
  playlist,
  playlistItem,
  type Subscription,
  subscription,
  type Video,
  video,
} from './youtube-kinds.ts'

interface Listing<Raw> {
  kind?: string
  items?: Raw[]
  nextPageToken?: string
}

const pages = cursorPages({
  param: 'pageToken',
  from: ({ nextPageToken }: Listing<unknown>) => nextPageToken,
  size: { param: 'maxResults', value: 50 },
})

/** The list of somebody without a channel has no `items`. */
function itemsOf<Raw>({ kind, items }: Listing<Raw>): Raw[] | undefined {
  return items ?? (kind?.endsWith('ListResponse') === true ? [] : undefined)
}

const common = { pages, scope: [YOUTUBE], deletes: 'all' as const }

/** Every list costs one unit a page, of 10,000 that all people of an app share in a day. So lists are read seldom. */
export const youtube: Record<string, Endpoint> = {
  youtube_channels: endpoint<Listing<Channel>, Channel>({
    ...common,
    path: '/youtube/v3/channels',
    query: { part: 'snippet,contentDetails,statistics', mine: 'true' },
    // Counts of views would make it change all the time.
    items: (body) =>
      itemsOf(body)?.map(({ etag: _etag, statistics, ...one }) => ({
        ...one,
        statistics: statistics?.videoCount === undefined ? {} : { videoCount: statistics.videoCount },
      })),
    kind: channel,
    types: [],
    every: '6h',
    class: 'personal',
  }),
  youtube_uploads: endpoint<Listing<PlaylistItem>, PlaylistItem, Channel>({
    ...common,
    each: 'youtube_channels',
    when: 'changed',
    version: ({ statistics }) => statistics?.videoCount,
    allEvery: '7d',
    // The list of a channel without videos does not exist.
    where: ({ contentDetails, statistics }) =>
      contentDetails?.relatedPlaylists?.uploads !== undefined && statistics?.videoCount !== '0',
    path: '/youtube/v3/playlistItems',
    query: { part: 'snippet,contentDetails,status' },
    prepare: (request, { from }) => {
      const { contentDetails } = (from?.parent.record ?? {}) as Channel
      return { ...request, query: { ...request.query, playlistId: contentDetails?.relatedPlaylists?.uploads ?? '' } }
    },
    items: itemsOf,
    kind: playlistItem('upload'),
    types: ['videos'],
    every: '6h',
    class: 'personal',
  }),
  youtube_playlists: endpoint<Listing<Playlist>, Playlist>({
    ...common,
    path: '/youtube/v3/playlists',
    query: { part: 'snippet,contentDetails,status', mine: 'true' },
    items: itemsOf,
    kind: playlist,
    types: [],
    every: '12h',
    class: 'personal',
  }),
  youtube_playlist_items: endpoint<Listing<PlaylistItem>, PlaylistItem, Playlist>({
    ...common,
    each: 'youtube_playlists',
    when: 'changed',
    version: ({ etag, contentDetails }) => `${contentDetails?.itemCount ?? ''} ${etag ?? ''}`,
    allEvery: '7d',
    path: '/youtube/v3/playlistItems',
    query: { part: 'snippet,contentDetails,status', playlistId: '{parent}' },
    items: itemsOf,
    kind: playlistItem('playlist_item'),
    types: ['videos'],
    feed: true,
    every: '12h',
    class: 'personal',
  }),
  youtube_likes: endpoint<Listing<Video>, Video>({
    ...common,
    path: '/youtube/v3/videos',
    query: { part: 'snippet,contentDetails', myRating: 'like' },
    items: itemsOf,
    kind: video,
    types: ['videos'],
    feed: true,
    every: '12h',
    class: 'personal',
  }),
  youtube_subscriptions: endpoint<Listing<Subscription>, Subscription>({
    ...common,
    path: '/youtube/v3/subscriptions',
    query: { part: 'snippet', mine: 'true', order: 'alphabetical' },
    items: itemsOf,
    kind: subscription,
    types: ['contacts'],
    every: '1d',
    class: 'core',
  }),
}
