import type { StoredItem } from '../../data/item-store.ts'
import type { Acquaintance } from '../../data/vocabulary.ts'
import type { PhotoFields } from './model.ts'

const seconds = (ms: number) => String(Math.floor(ms / 1000))
const host = 'https://live.staticflickr.com'

/** A photo in the standard list, with the extras that were requested. */
export function presentPhoto(item: StoredItem, owner: Acquaintance, extras: ReadonlySet<string>) {
  const { title, description, tags, media, secret, server, takenAtMs, place, hasOriginal } = item.fields as PhotoFields
  const taken = new Date(takenAtMs).toISOString()
  const base = `${host}/${server}/${item.id}_${secret}`
  const when = (extra: string, fields: Record<string, unknown>) => (extras.has(extra) ? fields : {})
  return {
    id: item.id,
    owner: owner.id,
    secret,
    server,
    farm: 66,
    title,
    ispublic: 1,
    isfriend: 0,
    isfamily: 0,
    ...when('description', { description: { _content: description } }),
    ...when('license', { license: '0' }),
    ...when('date_upload', { dateupload: seconds(item.createdAtMs) }),
    ...when('last_update', { lastupdate: seconds(item.updatedAtMs) }),
    ...when('date_taken', {
      datetaken: `${taken.slice(0, 10)} ${taken.slice(11, 19)}`,
      datetakengranularity: 0,
      datetakenunknown: '0',
    }),
    ...when('owner_name', { ownername: owner.username }),
    ...when('icon_server', { iconserver: '7', iconfarm: 8 }),
    ...when('tags', { tags }),
    ...when('machine_tags', { machine_tags: '' }),
    ...when('media', { media, media_status: 'ready' }),
    ...when('path_alias', { pathalias: owner.username }),
    // Places are text where there is one, and the number 0 where there is none.
    ...when(
      'geo',
      place === undefined
        ? { latitude: 0, longitude: 0, accuracy: 0, context: 0 }
        : { latitude: String(place.lat), longitude: String(place.lng), accuracy: String(place.accuracy), context: 0 },
    ),
    ...when('url_m', { url_m: `${base}.jpg`, height_m: 333, width_m: 500 }),
    ...when('url_l', { url_l: `${base}_b.jpg`, height_l: 683, width_l: 1024 }),
    ...(hasOriginal ? when('url_o', { url_o: `${base}_o.jpg`, height_o: 2000, width_o: 3000 }) : {}),
  }
}

export const epoch = seconds
