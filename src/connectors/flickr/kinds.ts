import { linkKeys } from '#kit/read/dedupe-keys.ts'
import { kind, linksIn, type Place, plainText } from '#kit/read/kind.ts'
import type { Author } from '#model/items/normal.ts'
import type { Album, Comment, Contact, Photo } from './shapes.ts'

const SITE = 'https://www.flickr.com'

/** Epoch seconds in a text; 0 and nonsense are no time. */
export function seconds(text: string | null | undefined): number | undefined {
  const value = Number(text ?? Number.NaN)
  return Number.isSafeInteger(value) && value > 0 ? value : undefined
}

function time(text: string | null | undefined): number | undefined {
  const value = seconds(text)
  return value === undefined ? undefined : value * 1000
}

const number = (value: string | number | null | undefined): number | undefined =>
  value === undefined || value === null || value === '' || Number.isNaN(Number(value)) ? undefined : Number(value)

const personUrl = (id: string | undefined): string | undefined => id && `${SITE}/people/${id}/`

const photoUrl = (owner: string | null | undefined, id: string | undefined): string | undefined =>
  owner && id ? `${SITE}/photos/${owner}/${id}/` : undefined

/** People without a picture have no icon server. */
function iconUrl(id: string | undefined, server: string | number | undefined, farm: number | undefined) {
  return id && farm && Number(server) > 0
    ? `https://farm${farm}.staticflickr.com/${server}/buddyicons/${id}.jpg`
    : undefined
}

function placeOf({ latitude, longitude, accuracy }: Photo): Place | undefined {
  const [lat, lng] = [number(latitude), number(longitude)]
  return lat === undefined || lng === undefined || !number(accuracy) ? undefined : { lat, lng }
}

function authorOf({ owner, ownername, realname, iconserver, iconfarm }: Photo): Author | undefined {
  if (!owner) return undefined
  return {
    name: realname || ownername,
    handle: ownername,
    url: personUrl(owner),
    photo: iconUrl(owner, iconserver, iconfarm),
  }
}

const largest = ({ url_o, url_l, url_m }: Photo): string | undefined => url_o ?? url_l ?? url_m
const pageOf = ({ pathalias, owner, id }: Photo): string | undefined => photoUrl(pathalias || owner, id)

const definition = {
  id: ({ id }: Photo) => id,
  types: ({ media }: Photo) => [media === 'video' ? ('videos' as const) : ('photos' as const)],
  guid: (one: Photo) => linkKeys([pageOf(one)], linksIn(plainText(one.description?._content))),
  participants: ({ owner }: Photo) => ({ author: owner }),
  place: placeOf,
  map: {
    name: ({ title }: Photo) => title,
    title: ({ title }: Photo) => title,
    text: ({ description }: Photo) => plainText(description?._content),
    author: authorOf,
    url: pageOf,
    image: ({ url_l, url_m }: Photo) => url_l ?? url_m,
    media: largest,
    earliest: ({ dateupload }: Photo) => time(dateupload),
  },
  card: {
    description: ({ description }: Photo) => plainText(description?._content),
    thumbnail_url: ({ url_m }: Photo) => url_m,
    width: ({ width_l, width_m }: Photo) => number(width_l ?? width_m),
    height: ({ height_l, height_m }: Photo) => number(height_l ?? height_m),
    provider_url: pageOf,
  },
}

export const photo = kind<Photo>({ ...definition, name: 'photo', at: ({ dateupload }) => time(dateupload) })

/** A photo of somebody else, at the time at which the person liked it. */
export const favorite = kind<Photo>({
  ...definition,
  name: 'favorite',
  at: ({ date_faved, dateupload }) => time(date_faved) ?? time(dateupload),
})

export const album = kind<Album>({
  name: 'album',
  id: ({ id }) => id,
  at: ({ date_create }) => time(date_create),
  participants: ({ owner }) => ({ author: owner }),
  map: {
    name: ({ title }) => title?._content,
    text: ({ description }) => plainText(description?._content),
    url: ({ owner, id }) => (owner ? `${SITE}/photos/${owner}/albums/${id}` : undefined),
    image: ({ primary_photo_extras: cover }) => cover?.url_m,
  },
  card: { description: ({ description }) => plainText(description?._content) },
})

export const contact = kind<Contact>({
  name: 'contact',
  id: ({ nsid }) => nsid,
  map: {
    name: ({ realname, username }) => realname || username,
    nickname: ({ username }) => username,
    url: ({ nsid }) => personUrl(nsid),
    photo: ({ nsid, iconserver, iconfarm }) => iconUrl(nsid, iconserver, iconfarm),
  },
  card: { id: ({ nsid }) => nsid, location: ({ location }) => location },
})

export const comment = kind<Comment>({
  name: 'comment',
  id: ({ commentid }) => {
    if (!commentid) throw new TypeError('a comment without an id')
    return commentid
  },
  at: ({ dateadded }) => time(dateadded),
  participants: ({ user, photo: about }) => ({ author: user, others: [about?.owner] }),
  map: {
    text: (one) => plainText(one._content),
    author: ({ user, username, realname }) =>
      user ? { name: realname || username, handle: username, url: personUrl(user) } : undefined,
    name: ({ photo: about }) => about?.title,
    url: ({ photo: about }) => photoUrl(about?.owner, about?.id),
  },
})
