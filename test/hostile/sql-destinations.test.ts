import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { Delivering } from './delivering.ts'
import { dataRow, int16, int32, message, startHostilePostgres } from './servers/postgres.ts'
import type { Misdeed } from './servers/scripted-server.ts'

const delivering = new Delivering()
after(() => delivering.stop())

const instead = (turn: number, bytes: Buffer): Misdeed => ({ turn, bytes, how: 'instead', pieces: [], then: 'stay' })

async function untilClosed(server: { open: () => number }): Promise<void> {
  const until = performance.now() + 60_000
  while (server.open() > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.equal(server.open(), 0, 'connections stay open')
}

// Each of these ended the process or made it loop for ever.
const POSTGRES: [what: string, misdeed: Misdeed][] = [
  ['a message of length 0', instead(0, Buffer.from('5200000000', 'hex'))],
  ['sign-in by GSS', instead(0, message('R', int32(7)))],
  ['sign-in that nobody knows', instead(0, message('R', int32(99)))],
  ['a cut sign-in', instead(0, message('R', '\0\0'))],
  ['a cut salt', instead(0, message('R', int32(5), 's'))],
  ['65,535 columns', instead(1, message('T', int16(65_535)))],
  ['a row with 65,535 fields', instead(1, message('D', int16(65_535)))],
  ['a row that nobody asked for', { ...instead(0, dataRow(['x'])), how: 'after' }],
  ['an error that nobody asked for', { ...instead(0, message('E', 'SFATAL\0C57P01\0Mbye\0\0')), how: 'after' }],
  ['a short key', instead(0, Buffer.concat([message('R', int32(0)), message('K', '\0')]))],
  ['an error without an end', instead(0, Buffer.from('450000000a53464154414c', 'hex'))],
  ['an error without an end, later', instead(1, message('E', 'SERROR'))],
  ['a result that goes on for ever', instead(1, Buffer.concat(Array(20).fill(message('s'))))],
]

suite('a hostile PostgreSQL ends nothing but its own delivery', () => {
  for (const [what, misdeed] of POSTGRES) {
    test(what, async () => {
      const server = await startHostilePostgres(misdeed)
      try {
        const url = `postgres://u:p@127.0.0.1:${server.port}/db?sslmode=disable`
        const { ended, odd } = await delivering.deliver({ kind: 'postgres', url })
        assert.deepEqual(odd, [])
        assert.ok(
          ended.some((each) => !each.endsWith(': ok')),
          ended.join('\n'),
        )
        await untilClosed(server)
      } finally {
        await server.stop()
      }
    })
  }
})

test('an honest PostgreSQL of the same making is delivered to', async () => {
  for (const signIn of ['trust', 'password', 'md5', 'scram'] as const) {
    const server = await startHostilePostgres(undefined, { signIn })
    const url = `postgres://u:p@127.0.0.1:${server.port}/db?sslmode=disable`
    const { ended } = await delivering.deliver({ kind: 'postgres', url })
    assert.deepEqual(ended, ['test: ok', 'prepare: ok', 'write: ok', 'compare: ok', 'close: ok'], signIn)
    await untilClosed(server)
    await server.stop()
  }
})
