import { kind, timeOf } from '#kit/read/kind.ts'

export interface Follow {
  broadcaster_id: string
  broadcaster_login?: string
  broadcaster_name?: string
  followed_at?: string
}

export interface Follower {
  user_id: string
  user_login?: string
  user_name?: string
  followed_at?: string
}

export interface Subscription {
  user_id: string
  user_login?: string
  user_name?: string
  tier?: string
  plan_name?: string
}

export interface Video {
  id: string
  user_id?: string
  title?: string
  description?: string
  created_at?: string
  published_at?: string
  url?: string
  thumbnail_url?: string
  view_count?: number
  language?: string
  duration?: string
}

export interface Clip {
  id: string
  url?: string
  creator_id?: string
  creator_name?: string
  title?: string
  created_at?: string
  thumbnail_url?: string
  language?: string
  duration?: number
}

const channelUrl = (login: string | undefined) => login && `https://www.twitch.tv/${login}`

export const follow = kind<Follow>({
  name: 'channel',
  id: ({ broadcaster_id }) => broadcaster_id,
  at: ({ followed_at }) => timeOf(followed_at),
  participants: ({ broadcaster_id }) => ({ author: broadcaster_id }),
  map: {
    id: ({ broadcaster_id }) => broadcaster_id,
    name: ({ broadcaster_name }) => broadcaster_name,
    nickname: ({ broadcaster_login }) => broadcaster_login,
    url: ({ broadcaster_login }) => channelUrl(broadcaster_login),
  },
})

export const follower = kind<Follower>({
  name: 'follower',
  id: ({ user_id }) => user_id,
  at: ({ followed_at }) => timeOf(followed_at),
  participants: ({ user_id }) => ({ author: user_id }),
  map: {
    id: ({ user_id }) => user_id,
    name: ({ user_name }) => user_name,
    nickname: ({ user_login }) => user_login,
    url: ({ user_login }) => channelUrl(user_login),
  },
})

export const subscription = kind<Subscription>({
  name: 'subscriber',
  id: ({ user_id }) => user_id,
  participants: ({ user_id }) => ({ author: user_id }),
  map: {
    id: ({ user_id }) => user_id,
    name: ({ user_name }) => user_name,
    nickname: ({ user_login }) => user_login,
    url: ({ user_login }) => channelUrl(user_login),
  },
  card: { description: ({ plan_name }) => plan_name },
})

export const video = kind<Video>({
  name: 'video',
  id: ({ id }) => id,
  at: ({ published_at, created_at }) => timeOf(published_at ?? created_at),
  participants: ({ user_id }) => ({ author: user_id }),
  map: {
    title: ({ title }) => title,
    text: ({ title, description }) => [title, description].filter(Boolean).join('\n'),
    url: ({ url }) => url,
    image: ({ thumbnail_url }) => thumbnail_url?.replace(/%\{width\}x%\{height\}|\{width\}x\{height\}/, '640x360'),
    lang: ({ language }) => language,
    seconds: ({ duration }) => secondsOf(duration),
  },
})

export const clip = kind<Clip>({
  name: 'clip',
  id: ({ id }) => id,
  at: ({ created_at }) => timeOf(created_at),
  // Viewers make clips of the person's channel.
  participants: ({ creator_id }) => ({ author: creator_id }),
  map: {
    title: ({ title }) => title,
    text: ({ title }) => title,
    author: ({ creator_name }) => (creator_name === undefined ? undefined : { name: creator_name }),
    url: ({ url }) => url,
    image: ({ thumbnail_url }) => thumbnail_url,
    lang: ({ language }) => language,
    seconds: ({ duration }) => duration,
  },
})

/** `3h8m33s`. */
function secondsOf(duration: string | undefined): number | undefined {
  const [, hours, minutes, seconds] = /^(?:(\d{1,4})h)?(?:(\d{1,2})m)?(?:(\d{1,2})s)?$/.exec(duration ?? '') ?? []
  const total = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)
  return total === 0 ? undefined : total
}
