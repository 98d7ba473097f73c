import { oauth2, type Revocation } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { since, untilKnown } from '#kit/endpoints/checkpoint.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { linkPages } from '#kit/endpoints/pages.ts'
import { timeOf } from '#kit/read/kind.ts'
import { type Event, event } from './event-kind.ts'
import {
  type Commit,
  commit,
  type Gist,
  gist,
  type Issue,
  issue,
  type Notification,
  notification,
  type Repo,
  repo,
  type Star,
  star,
  type User,
  user,
} from './kinds.ts'
import { hook, rate, recovery } from './protocol.ts'

interface Account extends User {
  name?: string | null
  email?: string | null
  bio?: string | null
  location?: string | null
  emails?: EmailAddress[]
}

interface EmailAddress {
  email?: string
  primary?: boolean
  verified?: boolean
}

// An address that nobody verified may belong to somebody else.
const privateEmail = (emails: EmailAddress[] | undefined): string | undefined =>
  emails?.find(({ primary, verified }) => primary === true && verified === true)?.email

const pages = linkPages({ query: { per_page: '100' } })

/** The whole list, changed records first: a record that is added during a walk is listed twice, and none is missed. */
const changedSince = <Raw extends { updated_at?: string | null }>() =>
  since<Raw>({
    param: 'since',
    value: ({ updated_at }) => timeOf(updated_at),
    overlap: 60_000,
    format: (ms) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z'),
  })

// Events are up to six hours late, so a run overlaps with the last six hours.
const newEvents = untilKnown<Event>({ value: ({ created_at }) => timeOf(created_at), overlap: 6 * 3_600_000 })

const issues = (filter: 'created' | 'assigned' | 'mentioned') => ({
  path: '/issues',
  query: { filter, state: 'all', sort: 'updated', direction: 'desc' },
  items: (list: Issue[]) => list,
  kind: issue,
  types: ['statuses' as const],
  pages,
  checkpoint: changedSince<Issue>(),
})

const revocation: Revocation = {
  method: 'DELETE',
  tokenPlacement: 'json',
  parameters: { access_token: '{token}' },
  tokenAuth: 'basic_raw',
  isGone: ({ status }) => status === 404,
}

/**
 * The default scope reads public data, the person's email and the notifications. GitHub has no read-only scope for
 * private data: an app that needs private repositories requests `repo`, for secret gists `gist`, and can then also
 * write.
 */
export const github = defineConnector({
  service: 'github',
  title: 'GitHub',
  docs: 'https://docs.github.com/en/rest?apiVersion=2026-03-10',
  category: 'development',
  auth: oauth2({
    authorizeUrl: 'https://github.com/login/oauth/authorize',
    tokenUrl: 'https://github.com/login/oauth/access_token',
    // Tokens of OAuth apps do not expire; those of GitHub Apps are valid for eight hours and have a refresh token.
    scope: { default: ['read:user', 'user:email', 'notifications'] },
    // Errors of the token endpoint have status 200.
    errors: {
      bad_verification_code: 'reauthorize',
      bad_refresh_token: 'reauthorize',
      unverified_user_email: 'reauthorize',
      incorrect_client_credentials: 'stop',
      redirect_uri_mismatch: 'stop',
    },
    revokeUrl: 'https://api.github.com/applications/{key}/grant',
    revoke: revocation,
    // Deleting the grant ends all tokens of the person for this app; this one ends a single token.
    revokeEnds: 'grant',
    revokeToken: { ...revocation, url: 'https://api.github.com/applications/{key}/token' },
    verifyApp: {
      url: 'https://api.github.com/applications/{key}/token',
      method: 'POST',
      basic: true,
      body: 'json',
      parameters: { access_token: '{token}' },
      read: (body) => (body as { app?: { client_id?: string } }).app?.client_id,
    },
    forceLogin: { parameters: { prompt: 'select_account' } },
  }),
  api: {
    baseUrl: 'https://api.github.com',
    hosts: ['https://uploads.github.com'],
    // Of GitHub Enterprise Server, whose API is at `/api/v3`.
    hostsOnInstance: { 'https://uploads.github.com': '/api/uploads' },
    // Of a release, where its files are uploaded with the token; in lists of releases too.
    links: ['upload_url', '*.upload_url'],
    headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2026-03-10' },
    limits: { person: { calls: 5000, perS: 3600 } },
    rate,
    recovery,
  },
  self: self<Account>({
    path: '/user',
    // `email` is the public one only; most people have none.
    also: { emails: { path: '/user/emails', query: { per_page: '100' } } },
    read: (account) => ({
      id: String(account.id),
      name: account.name ?? undefined,
      handle: account.login,
      email: account.email ?? privateEmail(account.emails),
      url: account.html_url,
      photo: account.avatar_url,
      description: account.bio ?? undefined,
      location: account.location ?? undefined,
    }),
  }),
  hook,
  endpoints: {
    following: endpoint<User[], User>({
      path: '/user/following',
      items: (list) => list,
      kind: user,
      types: ['contacts'],
      pages,
      every: '1d',
      class: 'core',
      deletes: 'all',
    }),
    followers: endpoint<User[], User>({
      path: '/user/followers',
      items: (list) => list,
      kind: user,
      types: ['contacts'],
      pages,
      every: '1d',
      class: 'core',
      deletes: 'all',
    }),
    // The last 30 days, at most 300 events: a missing one is old, not deleted.
    events: endpoint<Event[], Event>({
      path: '/users/{handle}/events',
      items: (list) => list,
      kind: event,
      types: ['statuses'],
      pages,
      checkpoint: newEvents,
      every: '15m',
      class: 'personal',
    }),
    received: endpoint<Event[], Event>({
      path: '/users/{handle}/received_events',
      items: (list) => list,
      kind: event,
      types: ['statuses'],
      feed: true,
      pages,
      checkpoint: newEvents,
      every: '15m',
      class: 'social',
    }),
    repos: endpoint<Repo[], Repo>({
      path: '/user/repos',
      query: { affiliation: 'owner', sort: 'pushed' },
      items: (list) => list,
      kind: repo,
      types: ['news'],
      pages,
      every: '6h',
      class: 'personal',
      deletes: 'all',
    }),
    starred: endpoint<Star[], Star>({
      path: '/user/starred',
      headers: { accept: 'application/vnd.github.star+json' },
      items: (list) => list,
      kind: star,
      types: ['news'],
      feed: true,
      pages,
      every: '6h',
      class: 'personal',
      deletes: 'all',
    }),
    gists: endpoint<Gist[], Gist>({
      path: '/gists',
      items: (list) => list,
      kind: gist,
      types: ['files'],
      pages,
      every: '6h',
      class: 'personal',
      deletes: 'all',
    }),
    // Pull requests are issues with `pull_request`.
    issues: endpoint<Issue[], Issue>({ ...issues('created'), every: '1h', class: 'personal' }),
    assigned: endpoint<Issue[], Issue>({ ...issues('assigned'), feed: true, every: '1h', class: 'social' }),
    mentioned: endpoint<Issue[], Issue>({ ...issues('mentioned'), feed: true, every: '1h', class: 'social' }),
    // Push events have no commits since October 2025; the search lists the newest 1000 on default branches.
    commits: endpoint<{ items?: Commit[] }, Commit>({
      path: '/search/commits',
      query: { q: 'author:{handle}', sort: 'author-date', order: 'desc' },
      items: ({ items }) => items,
      kind: commit,
      types: ['statuses'],
      pages,
      checkpoint: untilKnown({ value: (one) => timeOf(one.commit?.author?.date), overlap: 7 * 86_400_000 }),
      every: '1h',
      class: 'personal',
    }),
    notifications: endpoint<Notification[], Notification>({
      path: '/notifications',
      query: { all: 'true', per_page: '50' },
      items: (list) => list,
      kind: notification,
      types: ['messages'],
      pages,
      checkpoint: changedSince<Notification>(),
      every: '15m',
      class: 'social',
      scope: ['notifications'],
    }),
  },
})
