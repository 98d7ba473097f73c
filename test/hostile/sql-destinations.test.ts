import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import fc from 'fast-check'
import { seedOf } from '../harness/effort.ts'
import { until } from '../harness/until.ts'
import { selfSigned } from '../spec/push/kinds/certificate.ts'
import { Delivering, OPERATORS_PASSWORD, type Report } from './delivering.ts'
import { type Case, mysqlCases, postgresCases } from './servers/generated.ts'
import { column, END_OF_ROWS, greeting, OK, packet, startHostileMysql, switchTo } from './servers/mysql.ts'
import { dataRow, int16, int32, message, READY, rowDescription, startHostilePostgres } from './servers/postgres.ts'
import type { Identity, Misdeed, ScriptedServer } from './servers/scripted-server.ts'

// HOSTILE_CASES=10000 runs the long form; HOSTILE_SEED repeats a run.
const COUNT = Number(process.env['HOSTILE_CASES'] ?? 150)
const SEED = seedOf('HOSTILE_SEED')
const AT_ONCE = 12
const MAX_RSS = 500 * 1024 * 1024

const delivering = new Delivering()
const certificate = selfSigned('db.test')
const withoutTls = certificate === undefined && 'openssl is not installed'
after(async () => {
  await delivering.stop()
  certificate?.remove()
})

const PROTOCOLS = {
  postgres: { start: startHostilePostgres, cases: postgresCases },
  mysql: { start: startHostileMysql, cases: mysqlCases },
} as const
type Protocol = keyof typeof PROTOCOLS

/** Delivers to a server, which must have no open connection afterwards. */
async function deliverTo(
  kind: Protocol,
  server: ScriptedServer,
  { isSecure = false, isPatient = false, who = 'u:p' } = {},
): Promise<Report> {
  try {
    const url = `${kind}://${who}@db.test:${server.port}/db${isSecure ? '' : '?sslmode=disable'}`
    const ca = isSecure ? certificate?.cert : undefined
    const report = await delivering.deliver({ kind, url, ca, isPatient })
    assert.deepEqual(report.odd, [])
    await until('no connection is left', () => server.open() === 0)
    return report
  } finally {
    await server.stop()
  }
}

const ALL_WELL = ['test: ok', 'prepare: ok', 'write: ok', 'compare: ok', 'close: ok']

const instead = (turn: number, bytes: Buffer): Misdeed => ({ turn, bytes, how: 'instead', pieces: [], finally: 'stay' })
const beside = (turn: number, bytes: Buffer): Misdeed => ({ ...instead(turn, bytes), how: 'after' })

// Without the checked socket, each of the first twelve ended the process or made it loop.
const POSTGRES: [what: string, misdeed: Misdeed][] = [
  ['a message of length 0', instead(0, Buffer.from('5200000000', 'hex'))],
  ['sign-in by GSS', instead(0, message('R', int32(7)))],
  ['an unknown sign-in', instead(0, message('R', int32(99)))],
  ['a cut sign-in', instead(0, message('R', '\0\0'))],
  ['65,535 columns', instead(1, message('T', int16(65_535)))],
  ['a row with 65,535 fields', instead(1, message('D', int16(65_535)))],
  ['an unsolicited row', beside(0, dataRow(['x']))],
  ['an unsolicited error', beside(0, message('E', 'SFATAL\0C57P01\0Mbye\0\0'))],
  ['a short key', instead(0, Buffer.concat([message('R', int32(0)), message('K', '\0')]))],
  ['an error without an end', instead(0, Buffer.from('450000000a53464154414c', 'hex'))],
  ['an error without an end, later', instead(1, message('E', 'SERROR'))],
  ['an endless result', instead(1, Buffer.concat(Array(20).fill(message('s'))))],
  ['silence after an error', instead(0, message('E', 'SFATAL\0C28000\0Mno\0\0'))],
  ['a password asked for again and again', instead(0, Buffer.concat(Array(50).fill(message('R', int32(3)))))],
  ['a million results', instead(1, Buffer.concat(Array(1_000_000).fill(message('C', 'X\0'))))],
]

/** More than any response may have, in valid frames. */
const flood = (frame: Buffer) => Buffer.concat(Array(Math.ceil((40 * 1024 * 1024) / frame.length)).fill(frame))
POSTGRES.push(
  ['a flood of small rows', instead(1, Buffer.concat([rowDescription(['a']), flood(dataRow([null]))]))],
  ['a flood of large rows', instead(1, Buffer.concat([rowDescription(['a']), flood(dataRow(['x'.repeat(100_000)]))]))],
  ['a flood of notices', beside(0, flood(message('N', 'SNOTICE\0Mx\0\0')))],
)

const MYSQL: [what: string, misdeed: Misdeed][] = [
  ['a greeting of another protocol', instead(0, packet(0, Buffer.from('\x09old\0')))],
  ['a truncated greeting', instead(0, packet(0, greeting(false).subarray(0, 30)))],
  ['a request for one of our files', instead(2, packet(1, Buffer.from('\xfb/etc/passwd', 'latin1')))],
  ['the password asked for as it is', instead(1, packet(2, switchTo('mysql_clear_password')))],
  ['a second factor', instead(1, packet(2, Buffer.from([2, 0])))],
  ['an unsolicited packet', beside(1, packet(0, OK))],
  ['packets out of order', instead(2, packet(9, OK))],
  ['250 columns and silence', instead(2, packet(1, Buffer.from([250])))],
  [
    'more columns than a number holds',
    instead(2, packet(1, Buffer.from('\xfe\xff\xff\xff\xff\xff\xff\xff\xff', 'latin1'))),
  ],
  ['more results than statements', instead(2, packet(1, Buffer.from([0, 0, 0, 10, 0, 0, 0])))],
]

const head = [Buffer.from([1]), column('a'), END_OF_ROWS].map((body, i) => packet(1 + i, body))
MYSQL.push(
  [
    'a flood of packets that are one',
    instead(2, Buffer.concat([packet(1, Buffer.alloc(0)), flood(Buffer.alloc(1024))])),
  ],
  ['a flood of small rows', instead(2, Buffer.concat([...head, flood(numbered(4, Buffer.from([0xfb])))]))],
  [
    'a flood of large rows',
    instead(
      2,
      Buffer.concat([...head, flood(numbered(4, Buffer.from(`\xfd\xa0\x86\x01${'x'.repeat(100_000)}`, 'latin1')))]),
    ),
  ],
)

/** 256 packets with consecutive numbers, so that they can be repeated. */
function numbered(first: number, body: Buffer): Buffer {
  return Buffer.concat(Array.from({ length: 256 }, (_, i) => packet(first + i, body)))
}

for (const [kind, cases] of [
  ['postgres', POSTGRES],
  ['mysql', MYSQL],
] as const) {
  suite(`F3 a hostile ${kind} server only fails its own delivery`, () => {
    for (const [what, misdeed] of cases) {
      test(what, async () => {
        const { ended, rssBytes } = await deliverTo(kind, await PROTOCOLS[kind].start(misdeed))
        assert.notDeepEqual(ended, ALL_WELL)
        assert.ok(rssBytes < MAX_RSS, `${Math.round(rssBytes / 1e6)} MB`)
      })
    }
  })
}

test('bytes sent before TLS are not read as if they came inside TLS', { skip: withoutTls }, async () => {
  const identity = certificate!
  const early = Buffer.concat([message('R', int32(0)), READY])
  const postgres = await startHostilePostgres(beside(0, early), { identity })
  assert.match(
    (await deliverTo('postgres', postgres, { isSecure: true, isPatient: true })).ended[0]!,
    /a wrong response to the TLS request/,
  )
  const mysql = await startHostileMysql(beside(0, packet(2, OK)), { identity })
  assert.match(
    (await deliverTo('mysql', mysql, { isSecure: true, isPatient: true })).ended[0]!,
    /unexpected|before TLS/,
  )
})

test('a server that never closes the connection is disconnected', async () => {
  for (const kind of ['postgres', 'mysql'] as const) {
    const server = await PROTOCOLS[kind].start(undefined, { hangsUp: false })
    assert.deepEqual((await deliverTo(kind, server, { isPatient: true })).ended, ALL_WELL)
  }
})

test('a server that asks for a password that the address lacks does not get the operator’s', async () => {
  const server = await startHostilePostgres(undefined, { signIn: 'password' })
  await deliverTo('postgres', server, { isPatient: true, who: 'u' })
  assert.match(server.heard(), /tributary push/)
  assert.equal(server.heard().includes(OPERATORS_PASSWORD), false)
})

for (const isSecure of [false, true]) {
  test(`the same servers without an attack get deliveries${isSecure ? ' over TLS' : ''}`, {
    skip: isSecure && withoutTls,
  }, async () => {
    const identity = isSecure ? certificate : undefined
    for (const signIn of ['trust', 'password', 'md5', 'scram'] as const) {
      const server = await startHostilePostgres(undefined, { signIn, identity })
      assert.deepEqual((await deliverTo('postgres', server, { isSecure, isPatient: true })).ended, ALL_WELL, signIn)
    }
    for (const signIn of ['native', 'switch', 'sha2'] as const) {
      const server = await startHostileMysql(undefined, { signIn, identity })
      assert.deepEqual((await deliverTo('mysql', server, { isSecure, isPatient: true })).ended, ALL_WELL, signIn)
    }
  })
}

for (const kind of ['postgres', 'mysql'] as const) {
  for (const isSecure of [false, true]) {
    const count = isSecure ? Math.ceil(COUNT / 5) : COUNT
    test(
      `F3 ${count} generated misdeeds of a ${kind} server${isSecure ? ' inside TLS' : ''}, seed ${SEED}`,
      {
        skip: isSecure && withoutTls,
      },
      () => playAll(kind, count, isSecure ? certificate : undefined),
    )
  }
}

async function playAll(kind: Protocol, count: number, identity: Identity | undefined): Promise<void> {
  const cases: Case<string>[] = fc.sample<Case<string>>(PROTOCOLS[kind].cases, { numRuns: count, seed: SEED })
  const left = cases.entries()
  const play = async () => {
    for (const [i, each] of left) {
      try {
        const report = await deliverTo(kind, await startFor(kind, each, identity), { isSecure: identity !== undefined })
        assert.ok(report.rssBytes < MAX_RSS, `${Math.round(report.rssBytes / 1e6)} MB`)
      } catch (error) {
        const { bytes, ...how } = each.misdeed
        const description = JSON.stringify({ ...how, signIn: each.signIn, bytes: bytes.toString('hex') })
        throw new Error(`Case ${i} of seed ${SEED}: ${description}`, { cause: error })
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, play))
}

function startFor(kind: Protocol, { misdeed, signIn }: Case<string>, identity: Identity | undefined) {
  // The first turn is the start of TLS, so all others are one later.
  const moved = identity !== undefined && kind === 'postgres' ? { ...misdeed, turn: misdeed.turn + 1 } : misdeed
  const options = { identity, signIn }
  return kind === 'postgres'
    ? startHostilePostgres(moved, options as Parameters<typeof startHostilePostgres>[1])
    : startHostileMysql(moved, options as Parameters<typeof startHostileMysql>[1])
}
