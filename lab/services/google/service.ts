import { createRateLimit } from '../../base/rate-limit.ts'
import { InvalidSetting, isNumber } from '../../base/settings.ts'
import { storeControl } from '../../data/store-control.ts'
import { declareService } from '../../declare/service.ts'
import { createOAuth2Server } from '../../oauth2/server.ts'
import { type ApiParts, apiEndpoint } from './api-endpoint.ts'
import { calendarRoutes } from './calendar-routes.ts'
import { calendarWrites } from './calendar-writes.ts'
import { contactRoutes } from './contact-routes.ts'
import { driveRoutes } from './drive-routes.ts'
import { driveWrites } from './drive-writes.ts'
import { emailOf, generate } from './generate.ts'
import { gmailRoutes } from './gmail-routes.ts'
import { loginPaths, loginRoutes, scopes } from './login.ts'
import { peopleRoutes } from './people-routes.ts'
import { createPositions } from './positions.ts'
import { createTrackedStore } from './tracked-store.ts'
import { youtubeRoutes } from './youtube-routes.ts'

const brand = { title: 'Google', mark: '◉', accent: '#1a66d6' }
const KINDS = [
  'contacts',
  'other_contacts',
  'calendars',
  'files',
  'mail',
  'channels',
  'playlists',
  'likes',
  'subscriptions',
]

/** One origin for accounts, tokens and all APIs: their paths differ. */
export const google = declareService({
  name: 'google',
  brand,
  idOf: (_username, at) => String(110_169_484_474_386_276_334n + BigInt(at) * 1_000_003n),
  endpoints: {
    authorize_url: loginPaths.authorize,
    token_url: loginPaths.token,
    revoke_url: '/revoke',
    api_url: '',
  },
  build(context, people) {
    const { clock } = context
    const oauth = createOAuth2Server(context, {
      brand,
      people,
      paths: loginPaths,
      settings: {
        clientAuth: ['client_secret_post', 'client_secret_basic'],
        refresh: 'keep',
        accessTtlSeconds: 3599,
        codeTtlSeconds: 600,
        revocation: false,
        metadata: false,
        scopes,
        defaultScopes: [],
      },
    })
    const tracked = createTrackedStore()
    let sequence = 0
    // Ids of events have these digits only.
    const nextId = () => `g${(sequence += 1).toString(32).padStart(6, '0')}`
    for (const person of people) generate({ tracked, nextId, random: context.random, nowMs: clock.now() }, person)
    const positions = createPositions()
    const units = { left: 10_000 }
    const rateLimit = createRateLimit(clock, { limit: 6000, windowSeconds: 60 })
    const parts: ApiParts = { context, oauth, tracked, positions, rateLimit, units }
    const kinds = new Set([...KINDS, ...tracked.changes.map(({ kind }) => kind)])
    return {
      access: {
        ...oauth,
        get settings() {
          return { ...oauth.settings, youtubeUnits: units.left }
        },
        configure({ forget, youtubeUnits, ...changes }) {
          oauth.configure(changes)
          // The list whose positions (sync tokens, page tokens, history) the service does not know any more.
          if (typeof forget === 'string') positions.forget(forget)
          if (youtubeUnits === undefined) return
          if (!isNumber(youtubeUnits)) throw new InvalidSetting('invalid value for youtubeUnits')
          units.left = Number(youtubeUnits)
        },
      },
      groups: { rateLimit },
      routes: {
        ...loginRoutes(oauth),
        'GET /oauth2/v3/userinfo': apiEndpoint(parts, undefined, ({ person, scopes: granted }) => ({
          sub: person.id,
          ...(granted.includes('profile') && {
            name: person.name,
            given_name: person.name.split(' ')[0],
            picture: `https://lh3.googleusercontent.com/a/${person.username}=s96-c`,
          }),
          ...(granted.includes('email') && { email: emailOf(person), email_verified: true }),
        })),
        ...peopleRoutes(parts),
        ...contactRoutes(parts, nextId),
        ...calendarRoutes(parts),
        ...calendarWrites(parts, nextId),
        ...driveRoutes(parts),
        ...driveWrites(parts, nextId),
        ...gmailRoutes(parts),
        ...youtubeRoutes(parts),
      },
      data: storeControl({ store: tracked.store, clock, kinds: [...kinds], nextId, blank: blankOf }),
    }
  },
})

function blankOf(kind: string): Record<string, unknown> {
  if (kind === 'mail')
    return { threadId: 't', labelIds: ['INBOX'], size: 1, headers: [{ name: 'Subject', value: 'New' }] }
  if (kind === 'files') return { name: 'New.txt', mimeType: 'text/plain', ownedByMe: true }
  if (kind === 'contacts' || kind === 'other_contacts') return { names: [{ displayName: 'New' }] }
  if (kind.startsWith('events ')) return { summary: 'New', start: { date: '2026-05-01' }, end: { date: '2026-05-02' } }
  return { snippet: { title: 'New', publishedAt: '2026-05-01T00:00:00Z' } }
}
