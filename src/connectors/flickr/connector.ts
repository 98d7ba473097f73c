import { oauth1 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { since } from '#kit/endpoints/checkpoint.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { album, comment, contact, favorite, photo, seconds } from './kinds.ts'
import { countedPages, recovery } from './protocol.ts'
import type { ActivityItem, Album, Comment, Contact, Photo, Text } from './shapes.ts'

/** Without `views`, which would make every photo look edited. */
const EXTRAS =
  'description,license,date_upload,date_taken,last_update,owner_name,icon_server,geo,tags,machine_tags,media,path_alias,url_m,url_l,url_o'

interface PhotoList {
  photos?: { page?: number | string; pages?: number | string; photo?: Photo[] }
}

interface AlbumList {
  photosets?: { page?: number | string; pages?: number | string; photoset?: Album[] }
}

interface ContactList {
  contacts?: { page?: number | string; pages?: number | string; contact?: Contact[] }
}

interface Activity {
  items?: { item?: ActivityItem[] }
}

/** The methods of the API are one address with the parameter `method`. */
const method = (name: string, more: Record<string, string> = {}) => ({
  path: '/',
  query: { method: `flickr.${name}`, ...more },
})

const photos = {
  items: (body: PhotoList) => body.photos?.photo,
  pages: countedPages(500, (body: PhotoList) => body.photos),
  types: ['photos' as const],
}

function commentsIn({ items }: Activity): Comment[] | undefined {
  return items?.item?.flatMap(({ id, owner, title, activity }) =>
    (activity?.event ?? [])
      .filter((event) => event?.type === 'comment')
      .map((event) => ({ ...event, photo: { id, owner, title: title?._content ?? undefined } })),
  )
}

/** OAuth 1.0a tokens do not expire. Only the person can take access back, on their settings page: there is no call for it. */
export const flickr = defineConnector({
  service: 'flickr',
  title: 'Flickr',
  docs: 'https://www.flickr.com/services/api/',
  category: 'media',
  auth: oauth1({
    requestTokenUrl: 'https://www.flickr.com/services/oauth/request_token',
    // Without `perms` the page shows an error.
    authorizeUrl: 'https://www.flickr.com/services/oauth/authorize?perms=read',
    accessTokenUrl: 'https://www.flickr.com/services/oauth/access_token',
  }),
  api: {
    baseUrl: 'https://api.flickr.com/services/rest',
    query: { format: 'json', nojsoncallback: '1' },
    // “3600 queries per hour”, per key.
    limits: { app: { calls: 3600, perS: 3600 } },
    recovery,
  },
  self: self<{ user: { id: string; username?: Text; path_alias?: string | null } }>(
    '/',
    ({ user }) => ({
      id: user.id,
      name: user.username?._content ?? undefined,
      handle: user.path_alias ?? user.username?._content ?? undefined,
      url: `https://www.flickr.com/people/${user.id}/`,
    }),
    { method: 'flickr.test.login' },
  ),
  endpoints: {
    contacts: endpoint<ContactList, Contact>({
      ...method('contacts.getList'),
      items: ({ contacts }) => contacts?.contact,
      kind: contact,
      types: ['contacts'],
      pages: countedPages(1000, ({ contacts }: ContactList) => contacts),
      every: '1d',
      class: 'core',
      deletes: 'all',
    }),
    // All of them, because edits and deletions have no list of their own: five hundred in a call.
    photos: endpoint<PhotoList, Photo>({
      ...method('people.getPhotos', { user_id: 'me', extras: EXTRAS }),
      ...photos,
      kind: photo,
      every: '6h',
      class: 'personal',
      deletes: 'all',
    }),
    albums: endpoint<AlbumList, Album>({
      ...method('photosets.getList', { primary_photo_extras: 'url_m' }),
      items: ({ photosets }) => photosets?.photoset,
      kind: album,
      types: [],
      pages: countedPages(500, ({ photosets }: AlbumList) => photosets),
      every: '1d',
      class: 'personal',
      deletes: 'all',
    }),
    favorites: endpoint<PhotoList, Photo>({
      ...method('favorites.getList', { extras: EXTRAS }),
      ...photos,
      kind: favorite,
      feed: true,
      checkpoint: since({ param: 'min_fave_date', value: ({ date_faved }) => seconds(date_faved), overlap: 3600 }),
      every: '1h',
      class: 'personal',
    }),
    // Comments of others on the person's photos; the documentation asks for no more than one call in an hour.
    comments: endpoint<Activity, Comment>({
      ...method('activity.userPhotos', { timeframe: '7d', per_page: '50' }),
      items: commentsIn,
      kind: comment,
      types: ['statuses'],
      feed: true,
      every: '4h',
      class: 'social',
    }),
    // The newest fifty; there are no further pages.
    contacts_photos: endpoint<PhotoList, Photo>({
      ...method('photos.getContactsPhotos', { count: '50', extras: EXTRAS }),
      items: photos.items,
      kind: photo,
      types: photos.types,
      feed: true,
      every: '1h',
      class: 'social',
    }),
  },
})
