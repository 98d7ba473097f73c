import type { LimitScope } from '#access/learn-limits.ts'

/** A response with which a service refused a call because of a limit, as somebody received it or as the vendor documents it. */
export interface RecordedRefusal {
  service: string
  status: number
  headers?: Record<string, string>
  body: unknown
  /** Whose limit it is. */
  whose: LimitScope
  /** How long nothing may be called; undefined: until the time that we choose. */
  waitS?: number
  source: string
}

const google = (
  whose: LimitScope,
  status: number,
  reason: string,
  message: string,
  source: string,
  more: { domain?: string; details?: unknown[]; waitS?: number } = {},
): RecordedRefusal => {
  const { domain = 'usageLimits', details, waitS } = more
  const error = { code: status, message, errors: [{ message, domain, reason }], ...(details && { details }) }
  return { service: 'google', status, body: { error }, whose, source, ...(waitS && { waitS }) }
}

const quota = (of: string, api: string) =>
  `Quota exceeded for quota metric 'Queries' and limit 'Queries per ${of}' of service '${api}' for consumer 'project_number:1'.`
const info = (metadata: object) => [
  { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'RATE_LIMIT_EXCEEDED', metadata },
]
const CALENDAR_ERRORS = 'https://developers.google.com/workspace/calendar/api/guides/errors'
const ERROR_INFO = 'https://cloud.google.com/docs/quotas/troubleshoot'
const YOUTUBE =
  'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.'
const graph = (code: number, message: string) => ({
  error: { message: `(#${code}) ${message}`, type: 'OAuthException', code },
})

/** At the time of `AT`: half past six in the evening in California, UTC minus eight hours. */
export const AT = Date.UTC(2026, 10, 19, 2, 30)

export const REFUSALS: readonly RecordedRefusal[] = [
  google(
    'person',
    403,
    'rateLimitExceeded',
    quota('minute per user', 'gmail.googleapis.com'),
    'https://github.com/mxngls/gmail-cleaner/issues/5',
  ),
  google(
    'person',
    403,
    'rateLimitExceeded',
    quota('user per 100 seconds', 'calendar-json.googleapis.com'),
    'https://github.com/alextselegidis/easyappointments/issues/995',
  ),
  google(
    'person',
    429,
    'rateLimitExceeded',
    'Too many concurrent requests for user',
    'https://github.com/googleapis/google-api-dotnet-client/issues/1982',
    { domain: 'global' },
  ),
  google(
    'person',
    429,
    'rateLimitExceeded',
    'Resource has been exhausted (e.g. check quota).',
    'https://github.com/mxngls/gmail-cleaner/issues/5',
    { domain: 'global' },
  ),
  google('person', 403, 'rateLimitExceeded', 'Rate Limit Exceeded', CALENDAR_ERRORS),
  google(
    'person',
    403,
    'userRateLimitExceeded',
    'User rate limit exceeded.',
    'https://github.com/ericberman/MyFlightbookWeb/issues/843',
  ),
  google(
    'person',
    403,
    'quotaExceeded',
    'Calendar usage limits exceeded.',
    'https://support.google.com/a/answer/2905486',
  ),
  google('person', 403, 'rateLimitExceeded', 'Quota exceeded.', ERROR_INFO, {
    details: info({ quota_limit: 'defaultPerMinutePerUser', quota_unit: '1/min/{project}/{user}' }),
  }),
  google('app', 403, 'rateLimitExceeded', quota('minute per project', 'gmail.googleapis.com'), ERROR_INFO),
  google('app', 429, 'rateLimitExceeded', 'Quota exceeded.', ERROR_INFO, {
    details: info({ quota_limit: 'defaultPerMinutePerProject', quota_unit: '1/min/{project}' }),
  }),
  google('app_group', 403, 'quotaExceeded', YOUTUBE, 'https://github.com/dmunozv04/iSponsorBlockTV/pull/34', {
    domain: 'youtube.quota',
    waitS: 5.5 * 3600,
  }),
  google(
    'app_group',
    403,
    'dailyLimitExceeded',
    'Daily Limit Exceeded',
    'https://github.com/googleapis/google-api-dotnet-client/issues/223',
    {
      waitS: 5.5 * 3600,
    },
  ),
  {
    service: 'facebook',
    status: 403,
    body: graph(4, 'Application request limit reached'),
    whose: 'app',
    source: 'https://github.com/nygardk/react-share/issues/70',
  },
  {
    service: 'facebook',
    status: 400,
    body: graph(17, 'User request limit reached'),
    whose: 'person',
    source: 'https://developers.facebook.com/docs/graph-api/overview/rate-limiting',
  },
  {
    service: 'instagram',
    status: 403,
    body: graph(4, 'Application request limit reached'),
    whose: 'app',
    source: 'https://developers.facebook.com/docs/graph-api/overview/rate-limiting',
  },
  {
    service: 'instagram',
    status: 400,
    body: graph(80_002, 'There have been too many calls to this Instagram account'),
    whose: 'person',
    source: 'https://developers.facebook.com/docs/graph-api/overview/rate-limiting',
  },
  {
    service: 'strava',
    status: 429,
    headers: { 'x-ratelimit-limit': '200,2000', 'x-ratelimit-usage': '201,400' },
    body: {
      message: 'Rate Limit Exceeded',
      errors: [{ resource: 'Application', field: 'rate limit', code: 'exceeded' }],
    },
    whose: 'app',
    waitS: 900,
    source: 'https://github.com/node-strava/node-strava-v3/issues/84',
  },
  {
    service: 'github',
    status: 403,
    body: { message: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.' },
    headers: { 'retry-after': '60' },
    whose: 'person',
    waitS: 60,
    source: 'https://github.com/apache/devlake/issues/1322',
  },
  {
    service: 'github',
    status: 403,
    body: { message: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.' },
    headers: {
      'x-ratelimit-limit': '30',
      'x-ratelimit-remaining': '14',
      'x-ratelimit-reset': String(AT / 1000 + 30),
      'x-ratelimit-resource': 'search',
    },
    whose: 'endpoint',
    waitS: 30,
    source: 'https://github.com/KnpLabs/php-github-api/pull/1072',
  },
  {
    service: 'dropbox',
    status: 429,
    headers: { 'retry-after': '15' },
    body: { error_summary: 'too_many_requests/.', error: { reason: { '.tag': 'too_many_requests' }, retry_after: 15 } },
    whose: 'person',
    waitS: 15,
    source: 'https://github.com/dropbox/dbxcli/issues/149',
  },
  {
    service: 'withings',
    status: 200,
    body: { status: 601, body: {}, error: 'Too Many Requests' },
    whose: 'app',
    source: 'https://github.com/watt-mind/coach/pull/435',
  },
  {
    service: 'spotify',
    status: 429,
    headers: { 'retry-after': '79892' },
    body: { error: { status: 429, message: 'API rate limit exceeded' } },
    whose: 'app',
    waitS: 79_892,
    source: 'https://github.com/Yooooomi/your_spotify/issues/411',
  },
  {
    service: 'slack',
    status: 429,
    headers: { 'retry-after': '30' },
    body: { ok: false, error: 'ratelimited' },
    whose: 'endpoint',
    waitS: 30,
    source: 'https://docs.slack.dev/apis/web-api/rate-limits',
  },
  {
    service: 'twitch',
    status: 429,
    headers: { 'ratelimit-limit': '800', 'ratelimit-remaining': '0', 'ratelimit-reset': String(AT / 1000 + 20) },
    body: { error: 'Too Many Requests', status: 429, message: 'Request limit exceeded' },
    whose: 'person',
    waitS: 20,
    source: 'https://dev.twitch.tv/docs/api/guide/#twitch-rate-limits',
  },
  {
    service: 'x',
    status: 429,
    headers: {
      'x-rate-limit-limit': '75',
      'x-rate-limit-remaining': '0',
      'x-rate-limit-reset': String(AT / 1000 + 600),
    },
    body: { title: 'Too Many Requests', detail: 'Too Many Requests', type: 'about:blank', status: 429 },
    whose: 'endpoint',
    waitS: 600,
    source: 'https://docs.x.com/x-api/fundamentals/rate-limits',
  },
  {
    service: 'mastodon',
    status: 429,
    headers: {
      'x-ratelimit-limit': '300',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': new Date(AT + 120_000).toISOString(),
    },
    body: { error: 'Too many requests' },
    whose: 'person',
    waitS: 120,
    source: 'https://docs.joinmastodon.org/api/rate-limits/',
  },
  {
    service: 'tumblr',
    status: 429,
    headers: {
      'x-ratelimit-perday-limit': '5000',
      'x-ratelimit-perday-remaining': '0',
      'x-ratelimit-perday-reset': '40000',
      'x-ratelimit-perhour-limit': '1000',
      'x-ratelimit-perhour-remaining': '600',
      'x-ratelimit-perhour-reset': '1200',
    },
    body: { meta: { status: 429, msg: 'Limit Exceeded' }, response: [] },
    whose: 'app',
    waitS: 40_000,
    source: 'https://www.tumblr.com/docs/en/api/v2#rate-limits',
  },
  {
    service: 'flickr',
    status: 429,
    body: {},
    whose: 'app',
    source: 'https://www.flickr.com/services/developer/api/',
  },
  {
    service: 'oura',
    status: 429,
    body: { detail: 'Too Many Requests' },
    whose: 'app',
    source: 'https://cloud.ouraring.com/docs/error-handling',
  },
  {
    service: 'foursquare',
    status: 403,
    headers: {
      'x-ratelimit-limit': '500',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(AT / 1000 + 1800),
    },
    body: { meta: { code: 403, errorType: 'rate_limit_exceeded', errorDetail: 'Quota exceeded' }, response: {} },
    whose: 'group',
    waitS: 1800,
    source: 'https://docs.foursquare.com/developer/reference/v2-rate-limits',
  },
]
