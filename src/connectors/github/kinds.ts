import { kind, timeOf } from '#kit/read/kind.ts'
import type { Author } from '#model/items/normal.ts'

export interface User {
  id: number
  login?: string
  html_url?: string
  avatar_url?: string
}

export interface Repo {
  id: number
  full_name?: string
  html_url?: string
  description?: string | null
  homepage?: string | null
  owner?: User
  created_at?: string | null
  stargazers_count?: number
  forks_count?: number
}

export interface Star {
  starred_at?: string
  repo: Repo
}

export interface Issue {
  id: number
  title?: string
  body?: string | null
  html_url?: string
  user?: User | null
  assignees?: User[] | null
  closed_by?: User | null
  comments?: number
  reactions?: { '+1'?: number }
  repository?: Repo
  created_at?: string
  updated_at?: string
}

export interface Gist {
  id: string
  description?: string | null
  html_url?: string
  files?: Record<string, { filename?: string; type?: string; size?: number; raw_url?: string } | null>
  owner?: User
  comments?: number
  created_at?: string
}

export interface Commit {
  sha: string
  html_url?: string
  commit?: { message?: string; author?: { name?: string; date?: string }; comment_count?: number }
  author?: User | null
  repository?: Repo
}

export interface Notification {
  id: string
  reason?: string
  updated_at?: string
  subject?: { title?: string; url?: string | null; type?: string }
  repository?: Repo
}

export function authorOf(user: User | null | undefined): Author | undefined {
  return user ? { name: user.login, url: user.html_url, photo: user.avatar_url, handle: user.login } : undefined
}

export const user = kind<User>({
  name: 'user',
  id: ({ id }) => id,
  map: {
    name: ({ login }) => login,
    nickname: ({ login }) => login,
    photo: ({ avatar_url }) => avatar_url,
    url: ({ html_url }) => html_url,
  },
  card: { id: ({ id }) => String(id) },
})

export const repo = kind<Repo>({
  name: 'repo',
  id: ({ id }) => id,
  at: ({ created_at }) => timeOf(created_at),
  participants: ({ owner }) => ({ author: owner?.id }),
  map: {
    name: ({ full_name }) => full_name,
    text: ({ description }) => description,
    author: ({ owner }) => authorOf(owner),
    url: ({ html_url }) => html_url,
    urls: ({ html_url, homepage }) => [html_url, homepage].filter((url): url is string => !!url),
    counts: ({ stargazers_count, forks_count }) => ({ likes: stargazers_count, shares: forks_count }),
  },
  card: { description: ({ description }) => description, thumbnail_url: ({ owner }) => owner?.avatar_url },
})

/** A repository with the time of the star. */
export const star = kind<Star>({
  name: 'repo',
  id: ({ repo: { id } }) => id,
  at: ({ starred_at }) => timeOf(starred_at),
  participants: ({ repo: { owner } }) => ({ author: owner?.id }),
  map: {
    name: (one) => repo.map.name?.(one.repo),
    text: (one) => repo.map.text?.(one.repo),
    author: (one) => repo.map.author?.(one.repo),
    url: (one) => repo.map.url?.(one.repo),
    urls: (one) => repo.map.urls?.(one.repo),
    counts: (one) => repo.map.counts?.(one.repo),
    earliest: (one) => timeOf(one.repo.created_at),
  },
  card: {
    description: (one) => one.repo.description,
    thumbnail_url: (one) => one.repo.owner?.avatar_url,
  },
})

export const issue = kind<Issue>({
  name: 'issue',
  id: ({ id }) => id,
  at: ({ created_at }) => timeOf(created_at),
  participants: ({ user: author, assignees, closed_by }) => ({
    author: author?.id,
    others: [...(assignees ?? []), closed_by].map((person) => person?.id),
  }),
  map: {
    text: ({ title, body }) => [title, body].filter(Boolean).join('\n\n'),
    author: ({ user: author }) => authorOf(author),
    url: ({ html_url }) => html_url,
    counts: ({ comments, reactions }) => ({ comments, likes: reactions?.['+1'] }),
  },
  card: {
    title: ({ title }) => title,
    description: ({ repository }) => repository?.full_name,
    provider_url: ({ repository }) => repository?.html_url,
  },
})

const firstFile = ({ files }: Gist) => Object.values(files ?? {})[0]

export const gist = kind<Gist>({
  name: 'gist',
  id: ({ id }) => id,
  at: ({ created_at }) => timeOf(created_at),
  participants: ({ owner }) => ({ author: owner?.id }),
  map: {
    name: (one) => one.description || firstFile(one)?.filename,
    text: (one) => [one.description, ...Object.keys(one.files ?? {})].filter(Boolean).join('\n'),
    author: ({ owner }) => authorOf(owner),
    url: ({ html_url }) => html_url,
    media: (one) => firstFile(one)?.raw_url,
    path: (one) => firstFile(one)?.filename,
    mime: (one) => firstFile(one)?.type,
    bytes: ({ files }) => Object.values(files ?? {}).reduce((sum, file) => sum + (file?.size ?? 0), 0),
    counts: ({ comments }) => ({ comments }),
  },
})

export const commit = kind<Commit>({
  name: 'commit',
  id: ({ sha }) => sha,
  at: (one) => timeOf(one.commit?.author?.date),
  participants: ({ author, repository }) => ({ author: author?.id, others: [repository?.owner?.id] }),
  map: {
    text: (one) => one.commit?.message,
    author: (one) => authorOf(one.author) ?? { name: one.commit?.author?.name },
    url: ({ html_url }) => html_url,
    counts: (one) => ({ comments: one.commit?.comment_count }),
  },
  card: {
    title: (one) => one.commit?.message?.split('\n', 1)[0],
    description: ({ repository }) => repository?.full_name,
    provider_url: ({ repository }) => repository?.html_url,
  },
})

/** A thread has the API URL of its subject; the path of the page differs only in the singular. */
function subjectPage({ subject, repository }: Notification): string | undefined {
  const [, kindOfPage, rest] =
    /\/repos\/[^/]+\/[^/]+\/(issues|pulls|commits|discussions)\/([^/?#]+)$/.exec(subject?.url ?? '') ?? []
  if (kindOfPage === undefined || repository?.html_url === undefined) return repository?.html_url
  const page = { pulls: 'pull', commits: 'commit' }[kindOfPage] ?? kindOfPage
  return `${repository.html_url}/${page}/${rest}`
}

export const notification = kind<Notification>({
  name: 'notification',
  id: ({ id }) => id,
  at: ({ updated_at }) => timeOf(updated_at),
  // There is no sender, so the author is the owner of the repository.
  participants: ({ repository }) => ({ author: repository?.owner?.id }),
  map: {
    subject: ({ subject }) => subject?.title,
    text: ({ subject }) => subject?.title,
    from: ({ repository }) => repository?.full_name,
    url: subjectPage,
    photo: ({ repository }) => repository?.owner?.avatar_url,
  },
  card: {
    description: ({ reason }) => reason?.replaceAll('_', ' '),
    provider_url: ({ repository }) => repository?.html_url,
  },
})
