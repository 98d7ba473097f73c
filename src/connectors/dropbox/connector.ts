import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { bodyCursorPages } from '#kit/endpoints/body-cursor-pages.ts'
import { token } from '#kit/endpoints/checkpoint.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { CONTENT_HOST, NOTIFY_HOST, pathHosts } from './hosts.ts'
import { type Entry, file, type SharedLink, sharedLink } from './kinds.ts'

interface Account {
  account_id: string
  name?: { display_name?: string }
  email?: string
  email_verified?: boolean
  profile_photo_url?: string
  country?: string
}

interface Listing {
  entries?: Entry[]
  cursor?: string
  has_more?: boolean
}

interface Links {
  links?: SharedLink[]
  cursor?: string
  has_more?: boolean
}

interface Failure {
  error?: { '.tag'?: string; reason?: { '.tag'?: string } }
}

const nextOf = ({ has_more, cursor }: { has_more?: boolean; cursor?: string }) =>
  has_more === true ? cursor : undefined

/** Every call of API v2 is a POST with JSON; a call without parameters sends `null`. Only names and times of files are read. */
export const dropbox = defineConnector({
  service: 'dropbox',
  title: 'Dropbox',
  docs: 'https://www.dropbox.com/developers/documentation/http/documentation',
  category: 'files',
  auth: oauth2({
    noAppCheck:
      '`check/app` tests the app’s own key and secret, `check/user` the token; neither says that they belong together.',
    authorizeUrl: 'https://www.dropbox.com/oauth2/authorize',
    tokenUrl: 'https://api.dropboxapi.com/oauth2/token',
    scope: { default: ['account_info.read', 'files.metadata.read', 'sharing.read'] },
    // Without it there is no refresh token, and access ends after four hours.
    parameters: { authorize: { token_access_type: 'offline' } },
    subject: 'account_id',
    revokeUrl: 'https://api.dropboxapi.com/2/auth/token/revoke',
    revoke: { method: 'POST', tokenPlacement: 'bearer', isGone: ({ status }) => status === 401 },
    // With its refresh token and the other access tokens of that one.
    revokeEnds: 'token',
    forceLogin: { parameters: { force_reauthentication: 'true' } },
  }),
  api: {
    baseUrl: 'https://api.dropboxapi.com/2',
    // Of what browsers send without a preflight.
    tokenPlaces: { query: ['authorization'] },
    hosts: [CONTENT_HOST, NOTIFY_HOST],
    pathHosts,
    // Counted for each person who linked the app; the number is not published. A 429 names the wait.
    limits: { person: { calls: 600, perS: 60 } },
    recovery: ({ status, body }) => {
      const tag = (body as Failure | null | undefined)?.error?.['.tag']
      // The token is valid; the person did not grant this.
      if (status === 401 && tag === 'missing_scope') return 'not_granted'
      // The cursor has ended.
      if (status === 409 && tag === 'reset') return 'restart'
      return status === 409 ? 'stop' : undefined
    },
  },
  self: self<Account>({
    method: 'POST',
    path: '/users/get_current_account',
    body: { json: null },
    read: (account) => ({
      id: account.account_id,
      name: account.name?.display_name,
      email: account.email_verified === true ? account.email : undefined,
      photo: account.profile_photo_url,
      location: account.country,
    }),
  }),
  endpoints: {
    files: endpoint<Listing, Entry>({
      method: 'POST',
      path: '/files/list_folder',
      body: { json: { path: '', recursive: true, include_deleted: false, limit: 2000 } },
      items: ({ entries }) => entries,
      kind: file,
      types: ['files'],
      pages: bodyCursorPages({ param: 'cursor', from: nextOf, continueAt: '/files/list_folder/continue' }),
      checkpoint: token({ param: 'cursor', from: ({ cursor }: Listing) => cursor }),
      every: '1h',
      // Of a deleted folder, changes name the folder alone: what was in it is missing in the next whole listing.
      wholeEvery: '1d',
      class: 'personal',
      deletes: 'all',
      scope: ['files.metadata.read'],
    }),
    shared_links: endpoint<Links, SharedLink>({
      method: 'POST',
      path: '/sharing/list_shared_links',
      body: { json: {} },
      items: ({ links }) => links,
      kind: sharedLink,
      types: [],
      pages: bodyCursorPages({ param: 'cursor', from: nextOf }),
      every: '1d',
      class: 'personal',
      deletes: 'all',
      scope: ['sharing.read'],
    }),
  },
})
