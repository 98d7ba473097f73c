import { kind, linksIn, timeOf } from '#kit/read/kind.ts'
import { authorOf, countsOf, dedupeKeysOf, idsOf, placeOf } from './reading.ts'
import type { Album, Photo, Video } from './shapes.ts'

export const PHOTO_FIELDS = [
  'id,created_time,updated_time,from{id,name},name,alt_text,link,picture,width,height,images',
  'place{id,name,location},album{id,name},tags.limit(25){id,name}',
  'comments.limit(10).summary(true){id,from{id,name},message},likes.limit(10).summary(true){id,name}',
].join(',')

export const VIDEO_FIELDS = [
  'id,created_time,updated_time,from{id,name},title,description,permalink_url,picture,source,length',
  'place{id,name,location},comments.limit(10).summary(true){id,from{id,name},message},likes.limit(10).summary(true){id,name}',
].join(',')

export const ALBUM_FIELDS =
  'id,created_time,updated_time,from{id,name},name,description,link,count,type,privacy,cover_photo{id,picture},place{id,name,location}'

type Image = NonNullable<Photo['images']>[number]

/** The order of the sizes is not documented. */
function largest({ images }: Photo): Image | undefined {
  return images?.reduce<Image | undefined>(
    (most, one) => ((one.width ?? 0) > (most?.width ?? -1) ? one : most),
    undefined,
  )
}

const commentersOf = ({ comments }: Pick<Photo, 'comments'>): (string | undefined)[] =>
  (comments?.data ?? []).map(({ from }) => from?.id)

const pageOf = (permalink: string | undefined): string | undefined =>
  permalink?.startsWith('/') ? `https://www.facebook.com${permalink}` : permalink

const imageOf = (photo: Photo): string | undefined => largest(photo)?.source ?? photo.picture

export const photo = kind<Photo>({
  name: 'photo',
  id: (one) => one.id,
  at: (one) => timeOf(one.created_time),
  guid: (one) => dedupeKeysOf(one.link, linksIn(one.name)),
  participants: (one) => ({
    author: one.from?.id,
    others: [...commentersOf(one), ...idsOf(one.likes?.data), ...idsOf(one.tags?.data)],
  }),
  place: (one) => placeOf(one.place),
  map: {
    name: (one) => one.name ?? one.album?.name,
    text: (one) => one.name,
    author: (one) => authorOf(one.from),
    url: (one) => one.link,
    image: imageOf,
    media: imageOf,
    earliest: (one) => timeOf(one.created_time),
    place: (one) => one.place?.name,
    counts: countsOf,
  },
  card: {
    url: (one) => imageOf(one) ?? one.link,
    description: (one) => one.alt_text,
    thumbnail_url: (one) => one.picture,
    provider_url: (one) => one.link,
    width: (one) => largest(one)?.width ?? one.width,
    height: (one) => largest(one)?.height ?? one.height,
  },
})

export const video = kind<Video>({
  name: 'video',
  id: (one) => one.id,
  at: (one) => timeOf(one.created_time),
  guid: (one) => dedupeKeysOf(pageOf(one.permalink_url), linksIn(one.description)),
  participants: (one) => ({ author: one.from?.id, others: [...commentersOf(one), ...idsOf(one.likes?.data)] }),
  place: (one) => placeOf(one.place),
  map: {
    title: (one) => one.title,
    name: (one) => one.title,
    text: (one) => one.description,
    author: (one) => authorOf(one.from),
    url: (one) => pageOf(one.permalink_url),
    image: (one) => one.picture,
    media: (one) => one.source,
    seconds: (one) => one.length,
    place: (one) => one.place?.name,
    counts: countsOf,
  },
  card: {
    description: (one) => one.description,
    provider_url: (one) => pageOf(one.permalink_url),
  },
})

export const album = kind<Album>({
  name: 'album',
  id: (one) => one.id,
  at: (one) => timeOf(one.created_time),
  participants: (one) => ({ author: one.from?.id }),
  place: (one) => placeOf(one.place),
  map: {
    name: (one) => one.name,
    text: (one) => one.description,
    author: (one) => authorOf(one.from),
    url: (one) => one.link,
    image: (one) => one.cover_photo?.picture,
    place: (one) => one.place?.name,
  },
  card: { description: (one) => one.description },
})
