import type { StoredItem } from '../../data/item-store.ts'
import { fieldsOf, type LabAccount, type LabMedia, type MastodonData } from './data.ts'

const timeText = (ms: number): string => new Date(ms).toISOString()

export function presentAccount(origin: string, account: LabAccount): Record<string, unknown> {
  const { id, username, name, host, bio = '' } = account
  const page = host === undefined ? `${origin}/@${username}` : `https://${host}/@${username}`
  return {
    id,
    username,
    acct: host === undefined ? username : `${username}@${host}`,
    display_name: name,
    locked: false,
    bot: false,
    discoverable: true,
    group: false,
    created_at: '2022-11-07T00:00:00.000Z',
    note: bio === '' ? '' : `<p>${escaped(bio)}</p>`,
    url: page,
    uri: host === undefined ? `${origin}/users/${username}` : `https://${host}/users/${username}`,
    avatar: `${origin}/system/${id}/400x400-${Number(BigInt(id) % 360n)}.svg`,
    avatar_static: `${origin}/system/${id}/400x400-${Number(BigInt(id) % 360n)}.svg`,
    header: `${origin}/headers/original/missing.png`,
    header_static: `${origin}/headers/original/missing.png`,
    indexable: false,
    hide_collections: false,
    followers_count: 12,
    following_count: 34,
    statuses_count: 56,
    last_status_at: '2026-11-01',
    emojis: [],
    fields: [],
  }
}

/** What only the person themselves sees of their account. */
export function presentOwnAccount(origin: string, account: LabAccount): Record<string, unknown> {
  const { bio = '' } = account
  return {
    ...presentAccount(origin, account),
    source: {
      privacy: 'public',
      sensitive: false,
      language: null,
      note: bio,
      fields: [],
      follow_requests_count: 0,
      hide_collections: false,
      discoverable: true,
      indexable: false,
      attribution_domains: [],
      quote_policy: 'public',
    },
    role: { id: '-99', name: '', color: '', permissions: '65536', highlighted: false },
  }
}

export function presentStatus(
  origin: string,
  data: MastodonData,
  author: LabAccount,
  item: StoredItem,
): Record<string, unknown> {
  const { text, spoiler, media, card, visibility = 'public', mentions, replyTo, reblogOf, language } = fieldsOf(item)
  const base = author.host === undefined ? origin : `https://${author.host}`
  const boosted = reblogOf === undefined ? undefined : data.store.find('statuses', reblogOf.id)
  const boostedBy = boosted && data.account(boosted.owner)
  return {
    id: item.id,
    created_at: timeText(item.createdAtMs),
    edited_at: item.updatedAtMs > item.createdAtMs ? timeText(item.updatedAtMs) : null,
    in_reply_to_id: replyTo?.id ?? null,
    in_reply_to_account_id: replyTo?.account ?? null,
    sensitive: spoiler !== '',
    spoiler_text: spoiler,
    visibility,
    language,
    uri: `${base}/users/${author.username}/statuses/${item.id}`,
    url: `${base}/@${author.username}/${item.id}`,
    replies_count: 1,
    reblogs_count: 2,
    favourites_count: 3,
    favourited: false,
    reblogged: false,
    muted: false,
    bookmarked: false,
    content: text === '' ? '' : `<p>${escaped(text).replaceAll('\n', '<br />')}</p>`,
    reblog: boosted && boostedBy ? presentStatus(origin, data, boostedBy, boosted.item) : null,
    account: presentAccount(origin, author),
    media_attachments: media.map((each, at) => presentMedia(origin, each, `${item.id}${at}`, item.id)),
    mentions: mentions.map(({ id, username, host }) => ({
      id,
      username,
      url: host === undefined ? `${origin}/@${username}` : `https://${host}/@${username}`,
      acct: host === undefined ? username : `${username}@${host}`,
    })),
    tags: [],
    emojis: [],
    card:
      card === undefined
        ? null
        : {
            ...card,
            description: '',
            language: null,
            type: 'link',
            authors: [],
            author_name: '',
            author_url: '',
            provider_name: '',
            provider_url: '',
            html: '',
            width: 0,
            height: 0,
            image: null,
            image_description: '',
            embed_url: '',
            blurhash: null,
            published_at: null,
          },
    poll: null,
  }
}

/** `folder` is that of the status whose pictures are drawn. */
export function presentMedia(origin: string, media: LabMedia, id: string, folder = id): Record<string, unknown> {
  const { type, width, height, hue, description, upload } = media
  const stored = upload && `${origin}/media_attachments/${upload.id}`
  return {
    id: upload?.id ?? id,
    type,
    url: stored ? `${stored}/original` : `${origin}/system/${folder}/${width}x${height}-${hue}.svg`,
    preview_url: stored ? `${stored}/small` : `${origin}/system/${folder}/400x300-${hue}.svg`,
    remote_url: null,
    meta: { original: { width, height, size: `${width}x${height}`, aspect: width / height } },
    description,
    blurhash: 'UBL_:rOpGG-;~qRjWBay',
  }
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
