import type { ServiceName } from '../../../../../lab/lab.ts'

/** How a service of the lab is made to refuse calls: with its own limits, or with a response as the vendor documents it. */
export type Throttle =
  | { settings: { during: Record<string, number>; after: Record<string, number> } }
  | { response: { status: number; headers?: Record<string, string>; body: unknown } }

/** Whose calls a refusal concerns: all of the app, those of one person, or those of one person at one group of endpoints or one endpoint. */
export type Scope = 'app' | 'person' | 'group' | 'endpoint'

/** What the tables need to know of a service. The values are the vendor's documentation, not the connector's code. */
export interface Row {
  /** Access tokens expire, and a refresh token replaces them. */
  refreshes: boolean
  throttles: Partial<Record<Scope, Throttle>>
  /** A permission that is not given, and the endpoints that need it; undefined: the service has no permissions to choose. */
  permission?: Permission
}

export interface Permission {
  /** How it is not given: the person unticks it on the consent page, or the app asks for this scope or flag only. */
  by: { unticked: string } | { scope: string } | { flag: string }
  endpoints: string[]
}

const bySettings = (during: Record<string, number>, after: Record<string, number>): Throttle => ({
  settings: { during, after },
})

/** An hour's window, because the service's own of a minute or less may end during the test. */
const inLongWindow = (limit: number, windowSeconds: number): Throttle =>
  bySettings({ limit: 1, windowSeconds: 3600 }, { limit, windowSeconds })

/** One row for each service of the lab. */
export const ROWS: Record<ServiceName, Row> = {
  'demo-social': {
    refreshes: true,
    throttles: { person: bySettings({ limit: 1 }, { limit: 5000 }) },
    permission: { by: { unticked: 'photos.read' }, endpoints: ['photos'] },
  },
  'demo-micro': {
    refreshes: false,
    throttles: { person: bySettings({ limit: 1 }, { limit: 900 }) },
    permission: { by: { flag: '' }, endpoints: ['messages'] },
  },
  'demo-health': {
    refreshes: true,
    throttles: { person: bySettings({ limit: 1 }, { limit: 600 }) },
    permission: { by: { unticked: 'measures' }, endpoints: ['measures'] },
  },
  dropbox: {
    refreshes: true,
    throttles: { person: inLongWindow(1000, 60) },
    permission: { by: { scope: 'account_info.read files.metadata.read' }, endpoints: ['shared_links'] },
  },
  facebook: {
    refreshes: false,
    throttles: {
      app: bySettings({ limit: 1 }, { limit: 20_000 }),
      person: {
        response: {
          status: 400,
          headers: { 'x-app-usage': '{"call_count":10,"total_time":5,"total_cputime":5}' },
          body: { error: { message: '(#17) User request limit reached', type: 'OAuthException', code: 17 } },
        },
      },
    },
    permission: { by: { unticked: 'user_photos' }, endpoints: ['albums', 'photos', 'tagged_photos'] },
  },
  instagram: {
    refreshes: false,
    throttles: {
      app: {
        response: {
          status: 403,
          body: { error: { message: 'Application request limit reached', type: 'OAuthException', code: 4 } },
        },
      },
      person: bySettings({ limit: 1 }, { limit: 4800 }),
    },
    permission: { by: { unticked: 'instagram_business_manage_comments' }, endpoints: ['comments'] },
  },
  flickr: { refreshes: false, throttles: { app: bySettings({ limit: 1 }, { limit: 3600 }) } },
  foursquare: { refreshes: false, throttles: { group: bySettings({ limit: 1 }, { limit: 500 }) } },
  github: {
    refreshes: false,
    throttles: { person: bySettings({ limit: 1 }, { limit: 5000 }) },
    permission: { by: { scope: 'read:user user:email' }, endpoints: ['notifications'] },
  },
  mastodon: {
    refreshes: false,
    throttles: { person: inLongWindow(300, 300) },
    permission: {
      by: { scope: 'read:accounts read:bookmarks read:notifications read:statuses' },
      endpoints: ['favourites'],
    },
  },
  oura: {
    refreshes: true,
    throttles: { app: inLongWindow(5000, 300) },
    permission: { by: { unticked: 'heartrate' }, endpoints: ['heartrate'] },
  },
  spotify: {
    refreshes: true,
    throttles: { app: inLongWindow(1000, 30) },
    permission: {
      by: {
        scope:
          'user-read-private user-library-read user-read-recently-played user-follow-read playlist-read-private playlist-read-collaborative',
      },
      endpoints: ['top_artists', 'top_tracks'],
    },
  },
  strava: {
    refreshes: true,
    throttles: { app: bySettings({ readQuarter: 1 }, { readQuarter: 100 }) },
    permission: { by: { scope: 'read,read_all,profile:read_all' }, endpoints: ['activities'] },
  },
  slack: {
    refreshes: false,
    // Its window of a minute may end between two calls of a method on a busy machine.
    throttles: {
      endpoint: {
        response: { status: 429, headers: { 'retry-after': '60' }, body: { ok: false, error: 'ratelimited' } },
      },
    },
    permission: {
      by: {
        scope: 'channels:read channels:history groups:read groups:history users:read users.profile:read reactions:read',
      },
      endpoints: ['files'],
    },
  },
  google: {
    refreshes: true,
    throttles: {
      app: {
        response: {
          status: 403,
          body: {
            error: {
              code: 403,
              message:
                "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute per project' of service 'gmail.googleapis.com' for consumer 'project_number:1'.",
              errors: [{ domain: 'usageLimits', reason: 'rateLimitExceeded' }],
            },
          },
        },
      },
      person: bySettings({ limit: 1 }, { limit: 6000 }),
    },
    permission: {
      by: { unticked: 'https://www.googleapis.com/auth/calendar.readonly' },
      endpoints: ['calendars', 'events'],
    },
  },
  tumblr: { refreshes: true, throttles: { app: bySettings({ perHour: 1 }, { perHour: 1000 }) } },
  twitch: {
    refreshes: true,
    throttles: { person: inLongWindow(800, 60) },
    permission: {
      by: { scope: 'user:read:email user:read:follows channel:read:subscriptions' },
      endpoints: ['followers'],
    },
  },
  withings: {
    refreshes: true,
    throttles: { app: inLongWindow(120, 60) },
    permission: { by: { scope: 'user.info,user.activity' }, endpoints: ['measures'] },
  },
  x: {
    refreshes: true,
    throttles: { endpoint: bySettings({ limit: 1 }, { limit: 0 }) },
    permission: {
      by: { scope: 'tweet.read users.read follows.read like.read offline.access' },
      endpoints: ['bookmarks'],
    },
  },
}
