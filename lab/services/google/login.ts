import { first } from '../../base/pairs.ts'
import { json, Refusal, type Reply } from '../../base/reply.ts'
import { formOf, type LabRequest } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import { callRoute } from '../../oauth2/inside.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'

export const loginPaths = { authorize: '/o/oauth2/v2/auth', token: '/token' }

const scope = (name: string) => `https://www.googleapis.com/auth/${name}`

export const SCOPES = {
  contacts: scope('contacts.readonly'),
  otherContacts: scope('contacts.other.readonly'),
  calendar: scope('calendar.readonly'),
  drive: scope('drive.metadata.readonly'),
  youtube: scope('youtube.readonly'),
  mail: scope('gmail.metadata'),
  writeContacts: scope('contacts'),
  writeEvents: scope('calendar.events'),
  writeFiles: scope('drive.file'),
}

export const scopes = {
  openid: 'know who you are',
  email: 'see your e-mail address',
  profile: 'see your name and picture',
  [SCOPES.contacts]: 'see and download your contacts',
  [SCOPES.otherContacts]: 'see contact info that is saved automatically',
  [SCOPES.calendar]: 'see and download any calendar you can access',
  [SCOPES.drive]: 'see information about your Google Drive files',
  [SCOPES.youtube]: 'view your YouTube account',
  [SCOPES.mail]: 'view your email message metadata, but not the email body',
  [SCOPES.writeContacts]: 'see, edit, download, and permanently delete your contacts',
  [SCOPES.writeEvents]: 'view and edit events on all your calendars',
  [SCOPES.writeFiles]: 'see, edit, create, and delete only the specific Google Drive files you use with this app',
}

/** The names that short scopes have in token responses. */
const LONG_NAMES = new Map([
  ['email', scope('userinfo.email')],
  ['profile', scope('userinfo.profile')],
])

export function loginRoutes(oauth: OAuth2Server): Routes {
  const keys = ['GET /login', 'POST /login', 'GET /consent', 'POST /consent', `GET ${loginPaths.authorize}`]
  const pages = Object.fromEntries(Object.entries(oauth.routes).filter(([key]) => keys.includes(key)))
  return {
    ...pages,
    [`POST ${loginPaths.token}`]: async (request) => {
      const reply = await callRoute(oauth.routes, `POST ${loginPaths.token}`, request)
      const { scope: granted = '', ...tokens } = JSON.parse(String(reply.body)) as { scope?: string }
      const names = granted.split(' ').map((name) => LONG_NAMES.get(name) ?? name)
      return json(200, { ...tokens, scope: names.join(' ') }, { 'cache-control': 'no-store' })
    },
    'POST /revoke': (request) => revoke(oauth, request),
    'GET /tokeninfo': (request) => tokenInfo(oauth, request),
  }
}

/** Takes access and refresh tokens, without a client; ends all that the person granted to the app. */
function revoke(oauth: OAuth2Server, request: LabRequest): Reply {
  const token = first(formOf(request), 'token') ?? first(request.query, 'token')
  if (token === undefined) return json(400, { error: 'invalid_request', error_description: 'Bad Request' })
  return oauth.deauthorize(token, ['access', 'refresh'])
    ? json(200, {})
    : json(400, { error: 'invalid_token', error_description: 'Token expired or revoked' })
}

function tokenInfo(oauth: OAuth2Server, request: LabRequest): Reply {
  const token = first(request.query, 'access_token') ?? ''
  try {
    const {
      person,
      scopes: granted,
      client,
    } = oauth.guard({
      ...request,
      query: [],
      headers: { authorization: `Bearer ${token}` },
    })
    return json(200, {
      azp: client.key,
      aud: client.key,
      sub: person.id,
      scope: granted.map((name) => LONG_NAMES.get(name) ?? name).join(' '),
      access_type: 'offline',
    })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return json(400, { error: 'invalid_token', error_description: 'Invalid Value' })
  }
}
