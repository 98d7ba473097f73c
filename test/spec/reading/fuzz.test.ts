import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { REASONS } from '#model/errors.ts'
import { TYPE_NAMES } from '#model/items/types.ts'
import { cases, seedOf } from '../../harness/effort.ts'
import { type Item, type Reader, type ReadingHarness, startReadingHarness } from './fixture.ts'

const SEED = seedOf('FUZZ_SEED')
/** `FUZZ_RUNS=50000` for the long form. */
const RUNS = cases(3000, 'FUZZ_RUNS')
const AT_ONCE = 8

let state = SEED
function chance(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return state / 2 ** 32
}
const below = (n: number) => Math.floor(chance() * n)
const pick = <Value>(list: readonly Value[]): Value => list[below(list.length)]!

const NASTY = [
  '',
  '0',
  '-1',
  '1',
  '5',
  '16',
  '1e9',
  'NaN',
  'null',
  'undefined',
  'true',
  '9007199254740993',
  '-9223372036854775808',
  '99999999999999999999',
  '%00',
  '%ff%fe',
  '%ED%A0%80',
  '%',
  '%zz',
  '+',
  '%20',
  "'",
  '"',
  '\\',
  "';drop%20table%20item;--",
  "')%20or%20true--",
  '$1',
  '%24%7B1%7D',
  '..',
  '__proto__',
  'constructor.prototype',
  'data.__proto__.x',
  'a.b.c.d.e.f.g.h',
  '*',
  'a*',
  '-a',
  '"a%20b"',
  '"',
  '-"',
  '<->',
  '!a%26b|c:*',
  "'a':*",
  '%E4%BD%A0%E5%A5%BD',
  '%F0%9F%8E%89',
  '%D8%A7%D9%84',
  'self',
  '^self',
  '^',
  '%3E3',
  '%3E99',
  'ada,ben',
  'x'.repeat(600),
  '0,0',
  '90,180',
  '-90,-180',
  '89.9999,179.9999',
  '1e308,1',
  '0.0000000001,0',
  '5_00000000000000000000000000000000',
  '5_ffffffffffffffffffffffffffffffff_000000000',
  'asc',
  'desc',
  'library',
  'ada@library',
  '@',
  '%40library',
  'id,at,data.title',
  'map.name',
]
const NAMES = [
  'limit',
  'since',
  'until',
  'before',
  'sort',
  'q',
  'participants',
  'near',
  'within',
  'map',
  'fields',
  'select',
  'services',
  'dedup',
  'rich',
  'access_token',
  'nothing',
  '__proto__',
  'limit[]',
  '%00',
]

function chars(): string {
  return Array.from({ length: below(12) }, () => `%${(below(256) | 256).toString(16).slice(1)}`).join('')
}

function value(): string {
  const roll = chance()
  if (roll < 0.75) return pick(NASTY)
  if (roll < 0.9) return pick(NASTY) + pick(NASTY)
  return chars()
}

/** A value that is probably valid, so that requests reach the database. */
function validValue(name: string): string {
  const FIT: Record<string, () => string> = {
    limit: () => String(below(30)),
    since: () => String(below(50)),
    until: () => String(below(100)),
    before: () => `${below(60)}_${'0123456789abcdef'[below(16)]!.repeat(32)}`,
    sort: () => pick(['asc', 'desc']),
    q: () => pick(['sea', 'se*', '"sea sun"', 'sea -sun', '%E6%B5%B7', 'sea%20sun%20moon*']),
    participants: () => pick(['ada', '^ben', '%3E2', 'self,%3E1', '^self']),
    near: () => `${below(181) - 90},${below(361) - 180}`,
    within: () => pick(['0', '10', '500.5', '20000', '99999']),
    map: () => pick(['true', 'no']),
    fields: () => pick(['id', 'data.title,at', 'map.text', 'data.others', 'oembed.title,nothing.at.all']),
    select: () => pick(['id', 'data.title,at', 'map', 'types.photo']),
    services: () => pick(['library', 'museum', 'ada@library', 'self']),
    dedup: () => pick(['true', 'false']),
    rich: () => 'true',
  }
  return Object.hasOwn(FIT, name) ? FIT[name]!() : value()
}

function address(ids: readonly string[]): string {
  const path = pick([
    () => `/types/${pick(TYPE_NAMES)}`,
    () => `/types/${pick(TYPE_NAMES)}`,
    () =>
      `/services/${pick(['library', 'museum', 'ada@library', 'self'])}/${pick(['things', 'feed', 'notes', 'others'])}`,
    () => `/types/${value()}`,
    () => `/services/${value()}`,
    () => `/services/library/${value()}`,
    () => `/services/library/things/${pick([value(), 't1', 't2'])}`,
    () => `/id/${pick([value(), pick(ids)])}`,
    () => pick(['/types', '/services', '/services/library', '/services/self']),
  ])()
  const query = Array.from({ length: below(6) }, () => {
    const name = pick(NAMES)
    return chance() < 0.6 ? `${name}=${validValue(name)}` : `${name}${pick(['=', '=', '=', '', '=='])}${value()}`
  })
  // HTTP clients cannot send these characters.
  return `${pick(['', '', '/v0'])}${path}?${query.join('&')}`.replaceAll(/[^\x21-\x7E]/g, '')
}

let harness: ReadingHarness
let reader: Reader
let ids: string[]
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })

before(async () => {
  harness = await startReadingHarness()
  reader = await harness.newReader()
  for (const service of ['library', 'museum'] as const) {
    const profile = await harness.newProfile(reader, service)
    const things = Array.from({ length: 60 }, (_, i) => ({
      id: `t${i}`,
      at: i,
      types: [pick(['photos', 'statuses', 'contacts', 'news'] as const)],
      title: pick(['sea', 'sun', 'moon', '海']),
      text: pick(['sea sun', 'sun moon']),
      others: ['ada', 'ben'].slice(below(3)),
      lat: below(181) - 90,
      lng: below(361) - 180,
      guid: [`g${below(30)}`],
    }))
    await harness.put(profile, things.slice(0, 40))
    await harness.put(profile, things.slice(40), 'feed')
  }
  await harness.request('/services/self/notes', reader, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ id: 1, type: 'photos', title: 'sea' }]),
  })
  ids = (await harness.items('/types/all?limit=1000', reader)).flatMap(({ id, idr }) => [id, encodeURIComponent(idr)])
})
after(async () => {
  agent.destroy()
  await harness.stop()
})

function fetchRaw(path: string): Promise<{ status: number; text: string; type: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(harness.tributary.url)
    const sent = request(
      { hostname, port, path, agent, headers: { authorization: `Bearer ${reader.token}` } },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (piece: string) => {
          text += piece
        })
        response.on('end', () =>
          resolve({ status: response.statusCode!, text, type: response.headers['content-type'] ?? '' }),
        )
        response.on('error', reject)
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}

function assertDocumented(path: string, { status, text, type }: Awaited<ReturnType<typeof fetchRaw>>): void {
  const message = `${path} -> ${status} ${text.slice(0, 300)} (FUZZ_SEED=${SEED})`
  assert.ok(status < 500, message)
  assert.equal(type, 'application/json; charset=utf-8', message)
  const body = JSON.parse(text) as unknown
  if (status !== 200) {
    const { error, reason } = body as { error: string; reason: keyof typeof REASONS }
    assert.ok(typeof error === 'string' && error !== '', message)
    assert.equal(REASONS[reason]?.[0], status, message)
    return
  }
  if (!Array.isArray(body)) {
    assert.ok(body !== null && typeof body === 'object', message)
    return
  }
  for (const item of body as Item[]) {
    assert.equal(typeof item, 'object', message)
    if (/[?&](fields|select)=/.test(path)) continue
    assert.match(item.id, /^[0-9a-f]{32}_[0-9a-f]{9}$/, message)
    assert.ok(Number.isSafeInteger(item.at) && Number.isSafeInteger(item.updated), message)
    assert.ok(typeof item.idr === 'string' && typeof item.data === 'object' && typeof item.types === 'object', message)
  }
}

suite('S60 random requests', () => {
  test(`${RUNS} of them: no 5xx, and no response of another shape (seed ${SEED})`, async (t) => {
    t.diagnostic(`FUZZ_SEED=${SEED}`)
    const statuses = new Map<number, number>()
    let remaining = RUNS
    const loop = async () => {
      while (remaining > 0) {
        remaining -= 1
        const path = address(ids)
        const reply = await fetchRaw(path)
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
        assertDocumented(path, reply)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, loop))
    t.diagnostic(JSON.stringify(Object.fromEntries(statuses)))
    assert.ok((statuses.get(200) ?? 0) > RUNS / 10, 'some of them are understood')
  })
})
