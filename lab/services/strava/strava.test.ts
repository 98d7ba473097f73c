import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createBrowser } from '../../browser.ts'
import { type Lab, startLab } from '../../lab.ts'

const callback = 'http://127.0.0.1:9/callback'
const ALL = 'read,read_all,activity:read,activity:read_all'

let lab: Lab<'strava'>
let app: { key: string; secret: string }
before(async () => {
  lab = await startLab({ services: ['strava'] })
  app = lab.services.strava.register({ redirectUris: [callback] })
})
after(() => lab.close())

const at = (path: string) => `${lab.services.strava.url}${path}`

async function authorize(scope: string, person = 'ada') {
  const url = new URL(lab.services.strava.endpoints['authorize_url']!)
  url.search = new URLSearchParams({
    client_id: app.key,
    redirect_uri: callback,
    response_type: 'code',
    scope,
  }).toString()
  const browser = createBrowser({ stopAt: (address) => address.startsWith(callback) })
  return new URL((await browser.walk(url.href, { person })).url).searchParams
}

async function exchange(fields: Record<string, string>) {
  const body = new URLSearchParams({ client_id: app.key, client_secret: app.secret, ...fields })
  const response = await fetch(lab.services.strava.endpoints['token_url']!, { method: 'POST', body })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

async function tokensFor(scope = ALL, person = 'ada') {
  const code = (await authorize(scope, person)).get('code') ?? ''
  return (await exchange({ grant_type: 'authorization_code', redirect_uri: callback, code })).body as Record<
    string,
    string
  >
}

const call = (path: string, token: string) =>
  fetch(at(`/api/v3${path}`), { headers: { authorization: `Bearer ${token}` } })

test('login: the redirect names the scope, the response the athlete, and refreshing rotates', async () => {
  const params = await authorize('read,activity:read')
  assert.equal(params.get('scope'), 'read,activity:read')
  const { body } = await exchange({
    grant_type: 'authorization_code',
    redirect_uri: callback,
    code: params.get('code')!,
  })
  assert.equal(body['scope'], undefined)
  assert.equal((body['athlete'] as { username: string }).username, 'ada')
  assert.equal(body['expires_in'], 21_600)
  const refresh = { grant_type: 'refresh_token', refresh_token: String(body['refresh_token']) }
  const next = await exchange(refresh)
  assert.equal(next.body['athlete'], undefined)
  const dead = await exchange(refresh)
  assert.deepEqual(
    [dead.status, (dead.body['errors'] as object[])[0]],
    [400, { resource: 'RefreshToken', field: 'refresh_token', code: 'invalid' }],
  )
  const wrong = await exchange({ ...refresh, client_secret: 'wrong' })
  assert.equal((wrong.body['errors'] as { resource: string }[])[0]?.resource, 'Application')
})

test('lists end with an empty page; `after` begins with the oldest; a missing scope is 401', async () => {
  const { access_token: token = '' } = await tokensFor()
  const list = async (query: string) =>
    (await (await call(`/athlete/activities?${query}`, token)).json()) as { start_date: string }[]
  const [one, two, three] = [
    await list('per_page=200'),
    await list('per_page=200&page=2'),
    await list('per_page=200&page=3'),
  ]
  assert.deepEqual([one.length, three.length], [200, 0])
  assert.ok(two.length > 0 && one[0]!.start_date > one[1]!.start_date)
  const late = await list(`after=${Math.floor(Date.parse(one[5]!.start_date) / 1000)}`)
  assert.deepEqual(
    late.map(({ start_date }) => start_date),
    one
      .slice(0, 5)
      .map(({ start_date }) => start_date)
      .reverse(),
  )
  assert.equal((await call('/athlete/activities?per_page=201', token)).status, 400)
  const { access_token: less = '' } = await tokensFor('read')
  const refused = await call('/athlete/activities', less)
  assert.equal(refused.status, 401)
  const { errors } = (await refused.json()) as { errors: { field: string }[] }
  assert.equal(errors[0]?.field, 'activity:read_permission')
  assert.equal((await call('/athlete/clubs', less)).status, 200)
})

test('deauthorizing ends all tokens of the person and app, and nobody else’s', async () => {
  const [one, two, other] = [await tokensFor(), await tokensFor(), await tokensFor(ALL, 'ben')]
  const end = () =>
    fetch(at('/oauth/deauthorize'), {
      method: 'POST',
      body: new URLSearchParams({ access_token: one['access_token']! }),
    })
  assert.equal((await end()).status, 200)
  assert.equal((await call('/athlete', two['access_token']!)).status, 401)
  assert.equal((await call('/athlete', other['access_token']!)).status, 200)
  assert.equal((await end()).status, 401)
})

test('limits: two values in four headers; refused calls count for the day', async () => {
  lab.clock.advance(86_400_000)
  lab.services.strava.configure({ rateLimit: { readQuarter: 2 } })
  const { access_token: token = '' } = await tokensFor()
  const first = await call('/athlete', token)
  assert.deepEqual(
    [
      first.headers.get('x-ratelimit-limit'),
      first.headers.get('x-readratelimit-limit'),
      first.headers.get('x-readratelimit-usage'),
    ],
    ['200,2000', '2,1000', '1,1'],
  )
  await call('/athlete', token)
  const refused = await call('/athlete', token)
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, null])
  lab.clock.advance(900_000)
  const later = await call('/athlete', token)
  assert.deepEqual([later.status, later.headers.get('x-readratelimit-usage')], [200, '1,4'])
})
