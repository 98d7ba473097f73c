import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { type CapacityFixture, STEADY } from './capacity-fixture.ts'
import { type CpuTime, costOf } from './capacity-formula.ts'
import { FAR } from './capacity-seed.ts'

/** How often each event happens. */
const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 1000)
const CONNECTIONS = 4
const WARM = 100
/** People with 300 items each, for the feed. */
const RICH = 20

/** What the events of an installation cost that no check, item or delivery is part of: everything that is spent while many of them happen. */
export async function measureEvents(fixture: CapacityFixture): Promise<[name: string, cost: CpuTime][]> {
  await fixture.client.query(`update app set apply = 'any'`)
  const [profile] = await fixture.seed({ mode: 'empty', count: 10, dueAt: () => FAR })
  await fixture.start()
  const pool = new Pool(fixture.url(), { connections: CONNECTIONS, pipelining: 1 })
  const bearer = { authorization: `Bearer ${await fixture.newToken(profile!)}` }
  const send = async (method: 'GET' | 'POST', path: string, headers: Record<string, string>, body?: string) => {
    const { statusCode, body: response } = await pool.request({ method, path, headers, body: body ?? null })
    const text = await response.text()
    if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${text}`)
    return text
  }
  const form = { ...fixture.basic(), 'content-type': 'application/x-www-form-urlencoded' }
  const connect = (person: string) =>
    send('POST', `/auth/${STEADY}/apply`, form, new URLSearchParams({ token: person }).toString())
  const isBusy = async () => {
    const due = 'select 1 from profile_sync where lease_token is not null or next_run_at < $1 limit 1'
    return (await fixture.client.query(due, [Date.now()])).rowCount! > 0
  }
  const quiet = async () => {
    while (await isBusy()) await sleep(100)
  }
  let cursor = ''
  /** Whether there is more. */
  const feed = async (): Promise<boolean> => {
    const page = JSON.parse(await send('GET', `/accounts/changes?limit=100${cursor}`, fixture.basic()))
    cursor = `&cursor=${(page as { cursor: string }).cursor}`
    return (page as { more: boolean }).more
  }
  const measured: [string, CpuTime][] = []
  const add = async (name: string, work: (n: number) => Promise<unknown>) => {
    await times(WARM, work)
    await quiet()
    const before = fixture.cpu()
    await times(EVENTS, (n) => work(WARM + n))
    await quiet()
    measured.push([name, costOf(before, fixture.cpu(), EVENTS)])
  }
  for (let person = 0; person < RICH; person += 1) await connect(`same-${person}`)
  await quiet()
  // The first page looks up what all of them need.
  await feed()
  let pages = 1
  const before = fixture.cpu()
  while (await feed()) pages += 1
  measured.push([`a page of the feed, with up to 100 items (${pages} pages)`, costOf(before, fixture.cpu(), pages)])
  await add('a person who connects, with an empty first sync', (n) => connect(`empty-${n}`))
  await add('the same person again', (n) => connect(`empty-${n}`))
  await add('a proxied GET', () => send('GET', `/proxy/${STEADY}/me`, bearer))
  await add('a proxied POST', () => send('POST', `/proxy/${STEADY}/me`, bearer))
  await add('a poll of the feed without news', () => send('GET', `/accounts/changes?cursor=now`, fixture.basic()))
  await pool.close()
  await fixture.stop()
  return measured
}

async function times(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
}
