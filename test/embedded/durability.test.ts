import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { fixture } from './holders.ts'

const ROUNDS = Number(process.env.DURABILITY_ROUNDS ?? 5)
const PROGRAM = fileURLToPath(new URL('writer.ts', import.meta.url))

function write(url: string, writer: string) {
  const child = spawn(process.execPath, [PROGRAM, url, writer], { stdio: ['ignore', 'pipe', 'ignore'] })
  const said = text(child.stdout)
  const ended = once(child, 'exit')
  return {
    writing: once(child.stdout, 'readable'),
    async kill() {
      child.kill('SIGKILL')
      await ended
      // The last line may be incomplete; it was not acknowledged then.
      return (await said).split('\n').slice(0, -1).length
    },
  }
}

test(`R01 no acknowledged write is lost when everything is killed under load (${ROUNDS} rounds)`, async (t) => {
  const { hold, killPostgres } = await fixture(t)
  const acknowledged = new Map<string, number>()
  const slowest = { recoveryMs: 0 }
  for (let round = 0; round <= ROUNDS; round++) {
    const beganAt = performance.now()
    const holder = hold()
    const { error, started, url = '' } = await holder.opened
    assert.equal(error ?? started, round === 0 ? 'new' : 'existing')
    if (round > 0) slowest.recoveryMs = Math.max(slowest.recoveryMs, performance.now() - beganAt)
    if (round === 0) await holder.send('CREATE TABLE load (writer text, n int, filler text, PRIMARY KEY (writer, n))')
    const { rows = [] } = await holder.send('SELECT writer, count(*)::int, max(n) FROM load GROUP BY writer')
    for (const [writer, rowCount] of acknowledged) {
      const found = rows.find((row) => row.writer === writer)
      // One unacknowledged row may exist: the kill fell between the commit and its acknowledgement.
      assert.ok(
        Number(found?.count) >= rowCount && found?.count === found?.max,
        `${writer}: ${rowCount} acknowledged, ${String(found?.count)} found`,
      )
    }
    if (round === ROUNDS) {
      await holder.leave()
      break
    }
    const names = [`${round}a`, `${round}b`, `${round}c`]
    const writers = names.map((name) => write(url, name))
    await Promise.all(writers.map(({ writing }) => writing))
    // A random delay, so that the kill falls at any moment of a write. The assertions hold for every moment.
    await sleep(100 + Math.random() * 400)
    const [counts] = await Promise.all([
      Promise.all(writers.map((writer) => writer.kill())),
      killPostgres(),
      holder.kill(),
    ])
    for (const [index, name] of names.entries()) acknowledged.set(name, counts[index]!)
  }
  const total = [...acknowledged.values()].reduce((sum, count) => sum + count, 0)
  assert.ok(total > 0)
  t.diagnostic(`${total} rows acknowledged, slowest reopening ${Math.round(slowest.recoveryMs)} ms`)
})
