import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { movableClock } from '../../base/clock.ts'
import type { LabService } from '../../base/service.ts'
import { type Lab, startLab } from '../../lab.ts'
import { apiCall, basic, callback, codeFor, readTokens, tokenCall } from '../../testing/oauth2-client.ts'

let lab: Lab<'demo-health'>
let service: LabService
let flow: { service: LabService; key: string; secret: string }
const now = Date.UTC(2026, 5, 1)

before(async () => {
  lab = await startLab({ services: ['demo-health'], clock: movableClock({ startMs: now, frozen: true }) })
  service = lab.services['demo-health']
  flow = { service, ...service.register({ redirectUris: [callback] }) }
})
after(() => lab.close())

const none = { client_id: undefined, client_secret: undefined }
const byBasic = () => ({ headers: { authorization: basic(flow.key, flow.secret) } })
async function tokens(person = 'ada') {
  const code = await codeFor(flow, { scope: 'profile,activity,measures' }, person)
  return readTokens(
    await tokenCall(flow, { ...none, grant_type: 'authorization_code', code, redirect_uri: callback }, byBasic()),
  )
}
const read = async <T>(path: string, token: string) =>
  (await (await apiCall(service, `/api${path}`, token)).json()) as T

interface Activities {
  total: number
  activities: { id: number; start_time: string; start_point: { lat: number } | null; companions: unknown[] }[]
}
interface Measures {
  measures: { taken_at: number; metric: string; value: number; exponent: number }[]
}

test('tokens last five minutes, a refresh returns no new refresh token, only HTTP Basic is accepted', async () => {
  const first = await tokens()
  assert.equal(first.expires_in, 300)
  assert.equal(first.scope, 'profile,activity,measures')
  lab.clock.advance(301_000)
  assert.equal((await apiCall(service, '/api/profile', first.access_token)).status, 401)
  const fields = { ...none, grant_type: 'refresh_token', refresh_token: first.refresh_token }
  const second = await readTokens(await tokenCall(flow, fields, byBasic()))
  assert.equal('refresh_token' in second, false)
  const profile = await read<{ id: string }>('/profile', second.access_token)
  assert.equal(profile.id, 'ada@H01')
  assert.equal((await tokenCall(flow, { grant_type: 'refresh_token', refresh_token: first.refresh_token })).status, 401)
})

test('activities: paging by offset, filter by time', async () => {
  const { access_token: token } = await tokens()
  const seen = new Set<number>()
  let total = 1
  for (let offset = 0; offset < total; offset += 100) {
    const page = await read<Activities>(`/activities?limit=100&offset=${offset}`, token)
    total = page.total
    for (const { id } of page.activities) seen.add(id)
  }
  assert.ok(total > 200)
  assert.equal(seen.size, total)
  const cut = Math.floor(now / 1000) - 30 * 86_400
  const recent = await read<Activities>(`/activities?after=${cut}`, token)
  const older = await read<Activities>(`/activities?before=${cut + 1}`, token)
  assert.equal(recent.total + older.total, total)
  const { activities } = await read<Activities>('/activities?limit=100', token)
  assert.match(activities[0]?.start_time ?? '', /T\d\d:\d\d:\d\d[+-]\d\d:\d\d$/)
  assert.ok(activities.some((one) => one.start_point) && activities.some((one) => one.companions.length > 0))
})

test('updated_after finds edited activities; deleted ones are 410', async () => {
  const { access_token: token } = await tokens()
  const { activities } = await read<Activities>('/activities', token)
  const [one, two] = activities
  lab.clock.advance(1000)
  const since = Math.floor(lab.clock.now() / 1000) - 1
  service.data.edit('ada', 'activities', String(one?.id), { name: 'Renamed' })
  service.data.remove('ada', 'activities', String(two?.id))
  const changed = await read<Activities>(`/activities?updated_after=${since}`, token)
  assert.deepEqual(
    changed.activities.map(({ id }) => id),
    [one?.id],
  )
  assert.equal((await apiCall(service, `/api/activities/${two?.id}`, token)).status, 410)
})

test('measures: windows of at most 31 days, some of them empty', async () => {
  const { access_token: token } = await tokens()
  const day = (ago: number) => new Date(now - ago * 86_400_000).toISOString().slice(0, 10)
  const window = (from: number, to: number) => read<Measures>(`/measures?start=${day(from)}&end=${day(to)}`, token)
  assert.ok((await window(30, 0)).measures.length > 10)
  assert.deepEqual((await window(150, 125)).measures, [])
  const weights = await read<Measures>(`/measures?start=${day(30)}&end=${day(0)}&metric=weight`, token)
  assert.ok(weights.measures.every(({ value, exponent }) => value * 10 ** exponent > 60))
  for (const query of [
    `start=${day(31)}&end=${day(0)}`,
    `start=${day(0)}&end=${day(1)}`,
    'start=2026-02-30&end=2026-03-01',
    'start=x',
  ])
    assert.equal((await apiCall(service, `/api/measures?${query}`, token)).status, 400)
})
