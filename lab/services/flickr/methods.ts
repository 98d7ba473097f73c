import type { Person } from '../../base/people.ts'
import type { Reply } from '../../base/reply.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import type { Acquaintance } from '../../data/vocabulary.ts'
import type { FlickrData } from './data.ts'
import { fail, ok } from './envelope.ts'
import type { AlbumFields, CommentFields, PhotoFields } from './model.ts'
import { epoch, presentPhoto } from './present.ts'

export interface Call {
  person: Person
  /** Query and form together. */
  params: ReadonlyMap<string, string>
}

export type Method = (call: Call) => Reply

/** A page beyond the last one repeats the last one. */
function cut<T>({ params }: Call, list: readonly T[], defaultSize: number, maxSize: number) {
  const size = Math.min(maxSize, Math.max(1, Number(params.get('per_page')) || defaultSize))
  const pages = Math.max(1, Math.ceil(list.length / size))
  const page = Math.min(pages, Math.max(1, Number(params.get('page')) || 1))
  return {
    shown: list.slice((page - 1) * size, page * size),
    paging: { page, pages, perpage: size, total: list.length },
  }
}

const extrasOf = ({ params }: Call): Set<string> => new Set((params.get('extras') ?? '').split(','))

export function flickrMethods(data: FlickrData, now: () => number): Record<string, Method> {
  const { store } = data
  const photosOf = (owner: Acquaintance) => store.list(owner.username, 'photos').filter(isShown)

  return {
    'flickr.test.login': ({ person }) =>
      ok({ user: { id: person.id, username: { _content: person.username }, path_alias: person.username } }),
    'flickr.people.getPhotos': (call) => {
      const id = call.params.get('user_id')
      if (id === undefined) throw fail(1, 'Required arguments missing')
      const owner = id === 'me' ? call.person : data.user(id)
      if (owner === undefined) throw fail(2, 'Unknown user')
      const { shown, paging } = cut(call, photosOf(owner), 100, 500)
      return ok({ photos: { ...paging, photo: shown.map((item) => presentPhoto(item, owner, extrasOf(call))) } })
    },
    'flickr.photosets.getList': (call) => {
      const all = store.list(call.person.username, 'albums').filter(isShown)
      const { shown, paging } = cut(call, all, 500, 500)
      return ok({ photosets: { cancreate: 1, ...paging, photoset: shown.map((item) => presentAlbum(item, call)) } })
    },
    'flickr.favorites.getList': (call) => {
      const oldest = Number(call.params.get('min_fave_date') ?? 0) * 1000
      const all = store
        .list(call.person.username, 'favorites')
        .filter((item) => isShown(item) && item.createdAtMs >= oldest)
      const { shown, paging } = cut(call, all, 100, 500)
      const photo = shown.flatMap((item) => {
        const owner = data.user(String(item.fields['owner']))
        const of = item.fields['photo'] as StoredItem
        return owner === undefined || !isShown(of)
          ? []
          : [{ ...presentPhoto(of, owner, extrasOf(call)), date_faved: epoch(item.createdAtMs) }]
      })
      return ok({ photos: { ...paging, photo } })
    },
    'flickr.contacts.getList': (call) => {
      const { shown, paging } = cut(call, data.contacts(call.person.username), 1000, 1000)
      const contact = shown.map(({ id, username, name }, at) => ({
        nsid: id,
        username,
        realname: name,
        iconserver: at % 4 === 0 ? '0' : '7',
        iconfarm: at % 4 === 0 ? 0 : 8,
        ignored: 0,
        rev_ignored: 0,
        friend: 0,
        family: 0,
        path_alias: at % 3 === 0 ? null : username,
        location: at % 2 === 0 ? 'Utrecht' : '',
      }))
      return ok({ contacts: { ...paging, contact } })
    },
    'flickr.photos.getContactsPhotos': (call) => {
      const count = Math.min(50, Number(call.params.get('count')) || 10)
      const recent = data
        .contacts(call.person.username)
        .flatMap((owner) => photosOf(owner).map((item) => ({ item, owner })))
        .sort((a, b) => b.item.createdAtMs - a.item.createdAtMs)
        .slice(0, count)
      const photo = recent.map(({ item, owner }) => presentPhoto(item, owner, extrasOf(call)))
      return ok({ photos: { total: photo.length, page: 1, per_page: count, pages: 1, photo } })
    },
    'flickr.activity.userPhotos': activity,
  }

  function activity(call: Call): Reply {
    const [, amount, unit] = /^(\d+)([dh])$/.exec(call.params.get('timeframe') ?? '1d') ?? []
    if (amount === undefined) throw fail(1, 'invalid timeframe')
    const oldest = now() - Number(amount) * (unit === 'd' ? 24 : 1) * 3_600_000
    const recent = store
      .list(call.person.username, 'comments')
      .filter((item) => isShown(item) && item.createdAtMs >= oldest)
    const { shown, paging } = cut(
      call,
      [...Map.groupBy(recent, ({ fields }) => (fields as CommentFields).photoId)],
      10,
      50,
    )
    const item = shown.map(([photoId, list]) => ({
      type: 'photo',
      id: photoId,
      owner: call.person.id,
      ownername: call.person.username,
      title: { _content: (store.find('photos', photoId)?.item.fields as PhotoFields | undefined)?.title ?? '' },
      activity: {
        event: [
          ...list.map(presentComment),
          { type: 'fave', user: '1@N00', username: 'somebody', dateadded: epoch(now() - 60_000) },
        ],
      },
    }))
    return ok({ items: { ...paging, item } })
  }

  function presentComment({ id, createdAtMs, fields }: StoredItem) {
    const { authorId, text } = fields as CommentFields
    const author = data.user(authorId)
    return {
      type: 'comment',
      commentid: id,
      user: authorId,
      username: author?.username,
      realname: author?.name,
      dateadded: epoch(createdAtMs),
      _content: text,
    }
  }

  function presentAlbum({ id, createdAtMs, updatedAtMs, fields }: StoredItem, { person, params }: Call) {
    const { title, description, primary, photos } = fields as AlbumFields
    const extras = new Set((params.get('primary_photo_extras') ?? '').split(','))
    const cover = store.find('photos', primary)?.item
    return {
      id,
      owner: person.id,
      username: person.username,
      primary,
      secret: 'abcdef',
      server: '65535',
      farm: 66,
      photos: photos.length,
      videos: 0,
      title: { _content: title },
      description: { _content: description },
      can_comment: 1,
      date_create: epoch(createdAtMs),
      date_update: epoch(updatedAtMs),
      ...(cover === undefined || extras.size === 0
        ? {}
        : { primary_photo_extras: { url_m: presentPhoto(cover, person, extras)['url_m' as never] } }),
    }
  }
}
