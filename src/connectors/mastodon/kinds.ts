import { linkKeys } from '#kit/read/dedupe-keys.ts'
import { kind, plainText, timeOf } from '#kit/read/kind.ts'
import type { Author } from '#model/items/normal.ts'
import type { BaseType } from '#model/items/types.ts'
import type { Account, Media, Notification, Status } from './shapes.ts'

/** A boost has no content of its own. */
const shownOf = (status: Status): Status => status.reblog ?? status

const textOf = (status: Status): string | undefined => {
  const { spoiler_text: warning, content } = shownOf(status)
  return [warning, plainText(content)].filter((part) => part !== undefined && part !== '').join('\n\n')
}

const mediaOf = (status: Status): Media[] => shownOf(status).media_attachments ?? []
const pictureIn = (status: Status): Media | undefined => mediaOf(status).find(({ type }) => type === 'image')
const filmIn = (status: Status): Media | undefined =>
  mediaOf(status).find(({ type }) => type === 'video' || type === 'gifv')
const fileOf = (media: Media | undefined): string | undefined => media?.url ?? media?.remote_url ?? undefined
const linkOf = (status: Status): string | undefined => shownOf(status).card?.url

function typesOf(status: Status): BaseType[] {
  const types: BaseType[] = ['statuses']
  if (pictureIn(status) !== undefined) types.push('photos')
  if (filmIn(status) !== undefined) types.push('videos')
  if (linkOf(status) !== undefined) types.push('news')
  return types
}

/** With the id: of a boost it is not the person who boosted. */
function authorOf(account: Account | undefined): Author | undefined {
  if (account === undefined) return undefined
  const { id, display_name: name, acct, url, avatar } = account
  return { id, name: name || account.username, handle: acct, url: url ?? undefined, photo: avatar }
}

const addressOf = (status: Status): string | undefined => shownOf(status).url ?? shownOf(status).uri

export const status = kind<Status>({
  name: 'status',
  id: ({ id }) => id,
  at: ({ created_at }) => timeOf(created_at),
  types: typesOf,
  guid: (each) => linkKeys([addressOf(each)], [linkOf(each)]),
  participants: (each) => ({
    author: each.account?.id,
    others: [
      each.reblog?.account?.id,
      shownOf(each).in_reply_to_account_id ?? undefined,
      ...(shownOf(each).mentions ?? []).map(({ id }) => id),
    ],
  }),
  peopleOnInstance: true,
  map: {
    id: ({ id }) => id,
    text: textOf,
    author: (each) => authorOf(shownOf(each).account),
    url: addressOf,
    urls: (each) => [linkOf(each)].filter((url) => url !== undefined),
    image: (each) => fileOf(pictureIn(each)) ?? filmIn(each)?.preview_url,
    media: (each) => fileOf(filmIn(each)) ?? fileOf(pictureIn(each)),
    lang: (each) => shownOf(each).language,
    counts: (each) => {
      const { favourites_count: likes, replies_count: comments, reblogs_count: shares } = shownOf(each)
      return { likes, comments, shares }
    },
  },
  card: { provider_url: addressOf },
  cards: {
    photos: {
      description: (each) => pictureIn(each)?.description,
      url: (each) => fileOf(pictureIn(each)),
      thumbnail_url: (each) => pictureIn(each)?.preview_url,
      width: (each) => pictureIn(each)?.meta?.original?.width,
      height: (each) => pictureIn(each)?.meta?.original?.height,
    },
    videos: {
      description: (each) => filmIn(each)?.description,
      url: (each) => fileOf(filmIn(each)),
      thumbnail_url: (each) => filmIn(each)?.preview_url,
    },
    news: {
      url: linkOf,
      title: (each) => shownOf(each).card?.title,
      description: (each) => shownOf(each).card?.description,
      thumbnail_url: (each) => shownOf(each).card?.image,
    },
  },
})

/** Accounts of other servers are in the list as this server knows them. */
export const account = kind<Account>({
  name: 'account',
  id: ({ id }) => id,
  map: {
    id: ({ id }) => id,
    name: ({ display_name, username }) => display_name || username,
    nickname: ({ acct }) => acct,
    photo: ({ avatar }) => avatar,
    url: ({ url }) => url,
    text: ({ note }) => plainText(note),
  },
  peopleOnInstance: true,
  card: { id: ({ id }) => id, handle: ({ acct }) => acct },
})

/** Somebody favourited, boosted, followed or mentioned the person. */
export const notification = kind<Notification>({
  name: 'notification',
  id: ({ id }) => id,
  at: ({ created_at }) => timeOf(created_at),
  participants: ({ account: from }) => ({ author: from?.id }),
  peopleOnInstance: true,
  map: {
    id: ({ id }) => id,
    subject: ({ type }) => type,
    text: ({ status: about }) => (about ? textOf(about) : undefined),
    author: ({ account: from }) => authorOf(from),
    from: ({ account: from }) => from?.acct,
    url: ({ status: about, account: from }) => (about ? addressOf(about) : from?.url),
  },
})
