import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { loadConfig } from '#config/config.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { start } from '../../../../src/boot/app.ts'
import type { Reader } from '../fixture.ts'
import type { Thing } from '../thing.ts'
import { type ChangesHarness, catchUp, Follower, readPage, short, startChangesHarness } from './changes-fixture.ts'

let harness: ChangesHarness
before(async () => {
  harness = await startChangesHarness()
})
after(() => harness.stop())

const thing = (id: string, at = 1, more: Partial<Thing> = {}): Thing => ({ id, at, types: ['photos'], ...more })
const things = (from: number, to: number, more: Partial<Thing> = {}) =>
  Array.from({ length: to - from }, (_, i) => thing(`t${from + i}`, from + i, more))
const next = async (reader: Reader, follower: Follower, limit?: number) =>
  (await catchUp(harness, follower, reader, limit)).map(short)
const refusal = async (reader: Pick<Reader, 'token'>, query: string) => {
  const { status, body } = await harness.request(`/changes?${query}`, reader)
  return [status, (body as { reason: string }).reason, (body as { error: string }).error] as const
}

suite('the cursor of /changes', () => {
  test('S91 is refused when it is damaged, forged or too long; other parameters by name', async () => {
    const reader = await harness.newReader()
    const profile = await harness.newProfile(reader)
    await harness.write(profile, things(0, 3))
    const { cursor } = await harness.page(reader)
    const [content = '', mac = ''] = cursor.split('.')
    const turned = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)
    for (const bad of [
      'x',
      '.',
      content,
      `${turned(content)}.${mac}`,
      `${content}.${turned(mac)}`,
      `${cursor}.x`,
      'Now',
      '%00',
    ]) {
      const [status, reason, error] = await refusal(reader, `cursor=${bad}`)
      assert.deepEqual([status, reason], [400, 'bad_parameter'], bad)
      assert.match(error, /^cursor: /, bad)
    }
    assert.match((await refusal(reader, `cursor=${'x'.repeat(10_001)}`))[2], /^cursor: /)
    for (const [query, name] of [
      ['limit=0', 'limit'],
      ['limit=1001', 'limit'],
      ['limit=x', 'limit'],
      ['types=nope', 'types'],
      ['types=photos,', 'types'],
      ['services=nope', 'services'],
      ['map=maybe', 'map'],
      ['fields=', 'fields'],
    ] as const)
      assert.match((await refusal(reader, query))[2], new RegExp(`^${name}: `), query)
    assert.match((await refusal(reader, 'cursor='))[2], /^cursor: is empty/)
  })

  test('S91 of another account is refused, before and after that account is erased', async () => {
    const [mine, theirs] = [await harness.newReader(), await harness.newReader()]
    await harness.write(await harness.newProfile(mine), [thing('mine')])
    const foreign = await harness.newProfile(theirs, 'museum', 'ben')
    await harness.write(foreign, [thing('theirs')])
    const { cursor } = await harness.page(theirs, 'limit=1')
    await harness.write(foreign, [thing('secret')])
    const refused = [400, 'bad_parameter', 'cursor: belongs to another account; begin again without one.']
    assert.deepEqual(await refusal(mine, `cursor=${cursor}`), refused)
    const now = await harness.page(theirs, 'cursor=now')
    assert.deepEqual(await refusal(mine, `cursor=${now.cursor}`), refused)
    assert.equal((await harness.request('/profiles', theirs, { method: 'DELETE' })).status, 200)
    assert.deepEqual(await refusal(mine, `cursor=${cursor}`), refused)
  })

  test('of an account goes on after it was merged, also twice, and not the other way round', async () => {
    const [first, second, third, other] = await Promise.all([0, 1, 2, 3].map(() => harness.newReader()))
    const profile = await harness.newProfile(first!)
    await harness.write(profile, [thing('a')])
    const { cursor } = await harness.page(first!)
    await harness.merge(first!, second!)
    await harness.merge(second!, third!)
    await harness.write(profile, [thing('b')])
    assert.deepEqual((await harness.page(third!, `cursor=${cursor}`)).changes.map(short), ['+b'])
    assert.equal((await refusal(other!, `cursor=${cursor}`))[0], 400)
    const { cursor: later } = await harness.page(third!, `cursor=${cursor}`)
    assert.deepEqual((await harness.page(third!, `cursor=${later}`)).changes, [])
  })

  test('of a release that named no account is accepted, and the next one names it', async () => {
    const [reader, other] = [await harness.newReader(), await harness.newReader()]
    const profile = await harness.newProfile(reader)
    await harness.write(profile, [thing('a')])
    const { cursor } = await harness.page(reader)
    const [content = ''] = cursor.split('.')
    const stored = JSON.parse(inflateRawSync(Buffer.from(content, 'base64url')).toString()) as unknown[]
    assert.equal(stored.length, 3)
    const old = deflateRawSync(JSON.stringify(stored.slice(0, 2))).toString('base64url')
    const mac = harness.tributary.store.hasher.hash('changes_cursor_1', old).subarray(0, 16).toString('base64url')
    await harness.write(profile, [thing('b')])
    const page = await harness.page(reader, `cursor=${old}.${mac}`)
    assert.deepEqual(page.changes.map(short), ['+b'])
    assert.equal((await refusal(other, `cursor=${page.cursor}`))[0], 400)
  })

  test('works at another process, and after a restart, in the middle of the pages', async () => {
    const reader = await harness.newReader()
    const profile = await harness.newProfile(reader)
    await harness.write(profile, things(0, 10))
    const follower = new Follower()
    follower.apply(await harness.page(reader, follower.query(4)))
    const { databaseUrl, dataDir } = harness.tributary
    const config = loadConfig({
      DATABASE_URL: databaseUrl,
      DATABASE_POOL: '3',
      PORT: '0',
      TRIBUTARY_DATA: dataDir,
      TRIBUTARY_CONNECTORS: join(import.meta.dirname, '../connectors'),
    })
    const log = createLog({ level: 'error', format: 'json', clock: systemClock, write: () => {} })
    for (let round = 0; round < 2; round += 1) {
      const other = await start(config, log, '0.0.0-test', { serve: true, workers: 'inline' })
      try {
        follower.apply(await readPage(other.url!, reader.token, follower.query(2)))
      } finally {
        await other.stop()
      }
    }
    assert.deepEqual(await next(reader, follower), ['+t8', '+t9'])
    assert.equal(follower.items.size, 10)
  })

  test('needs a valid token each time', async () => {
    const reader = await harness.newReader()
    const { cursor } = await harness.page(reader)
    await harness.tributary.sql('update access_token set revoked_at = 1 where account_id = $1', [reader.account.id])
    assert.deepEqual((await refusal(reader, `cursor=${cursor}`)).slice(0, 2), [401, 'token_invalid'])
    assert.equal((await fetch(`${harness.tributary.url}/changes`)).status, 401)
  })

  test('has a bounded size: an account with too many profiles is read service by service', async () => {
    const reader = await harness.newReader()
    const name = (i: number) => createHash('sha256').update(String(i)).digest('hex')
    for (let i = 0; i < 160; i += 1) await harness.newProfile(reader, i < 100 ? 'library' : 'museum', name(i))
    const [status, reason, error] = await refusal(reader, '')
    assert.deepEqual([status, reason], [400, 'bad_parameter'])
    assert.match(error, /^services: the account has more profiles/)
    const { cursor } = await harness.page(reader, 'services=museum')
    assert.ok(cursor.length <= 10_000)
    assert.deepEqual((await harness.page(reader, `services=museum&cursor=${cursor}`)).changes, [])
  })
})

suite('GET /changes and profiles', () => {
  test('a profile that is erased is named; connected again, its items follow', async () => {
    const reader = await harness.newReader()
    const [one, two] = [await harness.newProfile(reader, 'library', 'a b'), await harness.newProfile(reader, 'museum')]
    await harness.write(one, things(0, 3))
    await harness.write(two, [thing('m')])
    const follower = new Follower()
    await next(reader, follower)
    await harness.request('/profiles/library', reader, { method: 'DELETE' })
    assert.deepEqual(await next(reader, follower), ['!a%20b@library'])
    assert.deepEqual(
      [...follower.items.values()].map(({ data }) => data.id),
      ['m'],
    )
    assert.deepEqual(await next(reader, follower), [])
    await harness.write(await harness.newProfile(reader, 'library', 'a b'), [thing('new')])
    assert.deepEqual(await next(reader, follower), ['+new'])
    await harness.request('/profiles/library', reader, { method: 'DELETE' })
    await harness.write(await harness.newProfile(reader, 'library', 'a b'), [thing('newer')])
    assert.deepEqual(await next(reader, follower), ['!a%20b@library', '+newer'])
  })

  test('a merge adds the profiles of the other account; both cursors continue', async () => {
    const [source, dest] = [await harness.newReader(), await harness.newReader()]
    const [moved, stays] = [await harness.newProfile(source, 'museum'), await harness.newProfile(dest)]
    await harness.write(moved, things(0, 3))
    await harness.write(stays, [thing('d')])
    const [ofSource, ofDest] = [new Follower(), new Follower()]
    await next(source, ofSource)
    await next(dest, ofDest)
    await harness.write(moved, [thing('t1', 1, { text: 'x' })])
    await harness.merge(source, dest)
    assert.equal((await refusal(source, `cursor=${ofSource.cursor}`))[0], 401)
    assert.deepEqual(await next(dest, ofDest), ['+t0', '+t2', '+t1'])
    assert.deepEqual((await next(dest, ofSource)).sort(), ['+d', '+t1'])
    assert.deepEqual([...ofSource.items.keys()].sort(), [...ofDest.items.keys()].sort())
  })

  test('of copies in merged profiles, the one that is read elsewhere; a deleted one uncovers the next', async () => {
    const [source, dest] = [await harness.newReader(), await harness.newReader()]
    const [old, kept] = [await harness.newProfile(source), await harness.newProfile(dest)]
    await harness.write(kept, [thing('both', 1, { text: 'kept' }), thing('mine')])
    await harness.write(old, [thing('both', 1, { text: 'old' }), thing('theirs')])
    await harness.merge(source, dest)
    const follower = new Follower()
    assert.deepEqual((await next(dest, follower, 1)).sort(), ['+both', '+mine', '+theirs'])
    const text = (id: string) => [...follower.items.values()].find(({ data }) => data.id === id)?.data.text
    assert.equal(text('both'), 'kept')
    await harness.write(kept, [thing('theirs', 1, { text: 'now mine' })])
    assert.deepEqual(await next(dest, follower), ['+theirs'])
    assert.equal(text('theirs'), 'now mine')
    for (const id of ['both', 'theirs', 'mine']) await harness.drop(kept, [id])
    assert.deepEqual(await next(dest, follower), ['+both', '+theirs', '-mine'])
    assert.deepEqual([text('both'), text('theirs')], ['old', undefined])
    await harness.drop(old, ['both'])
    assert.deepEqual(await next(dest, follower), ['-both'])
  })

  test('own items: a merge of two with one id deletes the older; a delete is a deletion', async () => {
    const [source, dest] = [await harness.newReader(), await harness.newReader()]
    await harness.post(source, [
      { id: 'n1', at: 1, text: 'source' },
      { id: 'n2', at: 1 },
    ])
    await harness.tributary.sql('update item set updated_at = updated_at - 5000 where shard = $1', [
      source.account.shard,
    ])
    await harness.post(dest, [{ id: 'n1', at: 1, text: 'dest' }])
    const [ofSource, ofDest] = [new Follower(), new Follower()]
    await next(source, ofSource)
    await next(dest, ofDest)
    await harness.merge(source, dest)
    assert.deepEqual(await next(dest, ofDest), ['+n2'])
    assert.deepEqual((await next(dest, ofSource)).sort(), ['+n1', '-n1'])
    await harness.request('/services/self/notes/n2', dest, { method: 'DELETE' })
    await harness.post(dest, [{ id: 'n1', at: 1, text: 'again' }])
    for (const follower of [ofSource, ofDest]) {
      assert.deepEqual(await next(dest, follower), ['-n2', '+n1'])
      assert.deepEqual(
        [...follower.items.values()].map(({ data }) => data.text),
        ['again'],
      )
    }
  })

  test('a cursor that is ahead of a restored database drops the profile and begins again', async () => {
    const reader = await harness.newReader()
    const profile = await harness.newProfile(reader)
    await harness.write(profile, things(0, 3))
    const follower = new Follower()
    await next(reader, follower)
    await harness.tributary.sql('delete from item where profile_id = $1 and seq > 1', [profile.profileId])
    await harness.tributary.sql('update profile_sync set seq = 1 where profile_id = $1', [profile.profileId])
    assert.deepEqual(await next(reader, follower), ['!ada@library', '+t0'])
    assert.deepEqual(
      [...follower.items.values()].map(({ data }) => data.id),
      ['t0'],
    )
  })
})
