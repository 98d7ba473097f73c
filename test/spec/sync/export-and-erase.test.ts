import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { tributary } from '../../harness/command-line.ts'
import { orders, pagesOf, type SyncHarness, startSyncHarness } from './shop-fixture.ts'

interface Head {
  account: string
  app: string
  profiles: Record<string, { profile: string; data: unknown }[]>
}

interface Item {
  id: string
  data: { id: string }
}

suite('a person’s data from the command line', () => {
  let harness: SyncHarness
  const folder = mkdtempSync(join(tmpdir(), 'tributary-export-'))
  before(async () => {
    harness = await startSyncHarness()
    harness.service.on(
      '/orders',
      pagesOf(() => orders(45)),
    )
  })
  after(async () => {
    await harness.stop()
    rmSync(folder, { recursive: true })
  })

  const run = (...args: string[]) =>
    tributary(args, { DATABASE_URL: harness.tributary.databaseUrl, TRIBUTARY_DATA: harness.tributary.dataDir })
  const connected = async (person: string) => {
    const { access_token: token, account } = await harness.connect(person)
    await harness.until(token, ({ state }) => state === 'done')
    const own = [{ id: 'note-1', text: 'of the app itself' }]
    const { status } = await harness.ask('POST', '/services/self/notes', token, {
      body: JSON.stringify(own),
      headers: { 'content-type': 'application/json' },
    })
    assert.ok(status < 300)
    return { token, account }
  }

  test('export: the person first, then every item once, the app’s own too', async () => {
    const { account } = await connected('ada')
    const { code, stdout, stderr } = await run('export', account)
    assert.equal(code, 0, stderr)
    const [head, ...items] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown) as [Head, ...Item[]]
    assert.equal(head.account, account)
    assert.deepEqual(
      head.profiles['shop']?.map(({ profile }) => profile),
      ['ada@shop'],
    )
    assert.equal(items.length, 46)
    assert.equal(new Set(items.map(({ id }) => id)).size, 46)
    assert.deepEqual(new Set(items.map(({ data }) => data.id)), new Set(['note-1', ...orders(45).map(({ id }) => id)]))
  })

  test('export as one document, and to a file that only its owner can read and that is never overwritten', async () => {
    const { account } = await connected('bea')
    const whole = JSON.parse((await run('export', account, '--json')).stdout) as Head & { items: Item[] }
    assert.deepEqual([whole.account, whole.items.length], [account, 46])
    const file = join(folder, 'bea.ndjson')
    const { stdout } = await run('export', account, '--out', file, '--json')
    assert.deepEqual(JSON.parse(stdout), { account, items: 46, file })
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.deepEqual(readdirSync(folder), ['bea.ndjson'])
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    assert.deepEqual(
      lines.slice(1).map((line) => JSON.parse(line) as unknown),
      whole.items,
    )
    assert.equal((await run('export', account, '--out', file)).code, 2)
    assert.equal((await run('export', 'acc_none')).code, 4)
  })

  test('erase: repeated, for one profile, then for the person', async () => {
    const { account, token } = await connected('cyd')
    assert.equal((await run('erase', account)).code, 2)
    assert.equal((await harness.ask('GET', '/profiles', token)).status, 200)
    const one = await run('erase', account, '--profile', 'shop', '--yes', '--json')
    assert.equal(one.code, 0, one.stderr)
    const { erased } = JSON.parse(one.stdout) as { erased: { profile: string }[] }
    assert.deepEqual(
      erased.map(({ profile }) => profile),
      ['cyd@shop'],
    )
    assert.equal((await harness.ask('GET', '/services/shop/orders', token)).status, 404)
    assert.equal((await harness.ask('GET', '/services/self/notes', token)).status, 200)
    assert.equal((await run('erase', account, '--yes')).code, 0)
    assert.equal((await harness.ask('GET', '/profiles', token)).status, 401)
    assert.equal((await run('export', account)).code, 4)
    const audit = await harness.sql<{ actor: string }>(
      `select actor from audit where account_id = $1 and action in ('profile.disconnect', 'account.delete')`,
      [account],
    )
    assert.deepEqual(
      audit.map(({ actor }) => actor),
      ['cli', 'cli'],
    )
  })
})
