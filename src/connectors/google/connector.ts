import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { calendars } from './calendar.ts'
import { contacts } from './contacts.ts'
import { drive } from './drive.ts'
import { rate, recovery } from './failures.ts'
import { groupOf, hosts, pathHosts } from './hosts.ts'
import { mail } from './mail.ts'
import { CALENDAR, CONTACTS, DRIVE, MAIL, OTHER_CONTACTS, YOUTUBE } from './scopes.ts'
import { youtube } from './youtube.ts'

interface UserInfo {
  sub?: string
  name?: string
  email?: string
  email_verified?: boolean
  picture?: string
  locale?: string
}

/**
 * One sign-in for all of Google's services. The person may untick any scope, and the token response names those that are left.
 * Scopes beyond the sign-in are sensitive or restricted: Google verifies apps that ask for them, so an app sets its own scope.
 */
export const google = defineConnector({
  service: 'google',
  title: 'Google',
  docs: 'https://developers.google.com/identity/protocols/oauth2/web-server',
  category: 'work',
  conditions: [
    {
      says: 'Until Google has verified an app that asks for sensitive or restricted scopes, people see a warning, and at most 100 can sign in.',
      source: 'https://support.google.com/cloud/answer/7454865',
      checked: '2026-11-19',
    },
    {
      says: 'While the publishing status is “Testing”, only listed test users can sign in, and their refresh tokens end after seven days.',
      source: 'https://developers.google.com/identity/protocols/oauth2#expiration',
      checked: '2026-11-19',
    },
    {
      says: 'Restricted scopes (drive.metadata.readonly of the default, gmail.metadata of flag=dm) need a security assessment every year.',
      source:
        'https://developers.google.com/identity/protocols/oauth2/production-readiness/restricted-scope-verification',
      checked: '2026-11-19',
    },
  ],
  auth: oauth2({
    authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    scope: { default: ['openid', 'email', 'profile', CONTACTS, OTHER_CONTACTS, CALENDAR, DRIVE, YOUTUBE] },
    // A refresh token comes with the first consent only, unless consent is asked for again.
    parameters: { authorize: { access_type: 'offline', prompt: 'consent', include_granted_scopes: 'true' } },
    flags: { dm: { scope: [MAIL] } },
    forceLogin: { parameters: { prompt: 'consent select_account' } },
    // Ends all that the person granted to the app, also other tokens.
    revokeUrl: 'https://oauth2.googleapis.com/revoke',
    revokeEnds: 'grant',
    verifyApp: {
      url: 'https://oauth2.googleapis.com/tokeninfo',
      method: 'GET',
      parameters: { access_token: '{token}' },
      read: (body) => (body as { aud?: string } | undefined)?.aud,
    },
  }),
  api: {
    baseUrl: 'https://www.googleapis.com',
    tokenPlaces: { query: ['oauth_token'] },
    hosts,
    pathHosts,
    // Defaults of a new project, which its owner may raise. Those of Gmail and YouTube are quota units.
    limits: {
      app: [
        { group: 'youtube', calls: 10_000, perS: 86_400 },
        { group: 'calendar', calls: 10_000, perS: 60 },
        { group: 'drive', calls: 12_000, perS: 60 },
        { group: 'gmail', calls: 1_200_000, perS: 60 },
      ],
      person: [
        { group: 'calendar', calls: 600, perS: 60 },
        { group: 'people', calls: 90, perS: 60 },
        { group: 'gmail', calls: 6000, perS: 60 },
      ],
    },
    group: groupOf,
    rate,
    recovery,
  },
  self: self<UserInfo>('/oauth2/v3/userinfo', (info) => ({
    id: info.sub ?? '',
    name: info.name,
    email: info.email_verified === true ? info.email : undefined,
    photo: info.picture,
  })),
  endpoints: { ...contacts, ...calendars, ...drive, ...youtube, ...mail },
})
