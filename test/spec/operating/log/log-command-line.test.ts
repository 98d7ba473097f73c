import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { followLog } from '../../../../src/cli/operations/follow-log.ts'
import { tributary } from '../../../harness/command-line.ts'
import type { LabHarness } from '../../../harness/lab.ts'
import { newBrowser, newCode, redeem, startUrl, walk } from '../../../harness/sign-in.ts'
import { until } from '../../../harness/until.ts'
import { startQuietHarness } from '../../sign-in/fixture.ts'
import { logged } from './log-reading.ts'

suite('tributary log', () => {
  let harness: LabHarness
  let id: string
  before(async () => {
    harness = await startQuietHarness()
    await walk(harness.startUrl('demo-social'), { person: 'ada', decision: 'deny' })
    ;({ id } = await logged(harness, harness.app.clientId, { reason: 'access_denied' }))
  })
  after(() => harness.stop())

  const run = (...args: string[]) => {
    const { databaseUrl, dataDir } = harness.tributary
    return tributary(['log', ...args], { DATABASE_URL: databaseUrl, TRIBUTARY_DATA: dataDir })
  }

  test('lists operations of the only app, and shows one with its steps', async () => {
    const list = await run('--kind', 'sign_in', '--outcome', 'refused')
    assert.deepEqual([list.code, list.stderr], [0, ''])
    assert.match(list.stdout, new RegExp(`sign_in demo-social  refused \\(access_denied\\) .* ms  ${id}\n$`))
    assert.equal((await run('--failed')).stdout, 'Nothing is logged.\n')
    const shown = await run('show', harness.app.clientId, id)
    assert.match(shown.stdout, /\n {2}callback {2}refused {2}\d+ ms {2}.*reason=access_denied/)
    const { operations } = JSON.parse((await run('--json')).stdout) as { operations: { id: string }[] }
    assert.deepEqual(
      operations.map((each) => each.id),
      [id],
    )
  })

  test('refuses what it does not know', async () => {
    for (const args of [
      ['--kind', 'x'],
      ['--failed', '--outcome', 'ok'],
      ['--app', 'app_none'],
      ['show', 'x', 'y'],
    ]) {
      const { code, stderr } = await run(...args)
      assert.notEqual(code, 0, args.join(' '))
      assert.notEqual(stderr, '')
    }
  })

  test('follows: each operation once, and the end of a sign-in that was open', async () => {
    const news = followLog(harness.tributary.store, harness.app.clientId, { limit: 50 }, [])
    const seen: string[] = []
    const next = async (outcome: string) =>
      until(
        `a sign-in is ${outcome}`,
        async () => {
          seen.push(...(await news()).map((each) => `${each.id} ${each.outcome}`))
          return seen
        },
        (all) => all.some((each) => each.endsWith(outcome)),
      )
    const code = await newCode(harness, 'demo-social', 'ben')
    await next('open')
    await redeem(harness, code)
    await next('ok')
    assert.equal(new Set(seen).size, seen.length)
    await newCode(harness, 'demo-social', 'chloe')
    seen.length = 0
    await next('open')
    await harness.sql("delete from operation where outcome = 'open'")
    assert.deepEqual(await news(), [], 'one that is erased while it is open ends nothing')
  })

  test('prints no line break and no escape that a stranger chose', async () => {
    const app = await harness.makeApp()
    const service = '\u001b[31mred\u009b2J\u001b]0;title\u0007\r\nforged'
    await newBrowser().open(startUrl(harness, service, {}, app))
    const { id: refused } = await logged(harness, app.clientId, { reason: 'service_unknown' })
    const list = await run('--app', app.clientId)
    const shown = await run('show', app.clientId, refused)
    for (const { stdout } of [list, shown]) {
      assert.doesNotMatch(stdout.replaceAll('\n', ''), /\p{Cc}/u)
      assert.match(stdout.split('\n')[0]!, /\\u001b\[31mred\\u009b2J.*\\r\\nforged {2}refused/)
    }
    assert.equal(list.stdout.split('\n').length, 2)
  })
})
