import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { purgeFeeds } from '#store/push/feed.ts'
import { basic, makeApp } from '../../../harness/app.ts'
import { send } from '../../../harness/send.ts'
import { until } from '../../../harness/until.ts'
import type { Thing } from '../thing.ts'
import { catchUp, type FeedHarness, type FeedPage, Replica, short, startFeedHarness } from './feed-fixture.ts'

let harness: FeedHarness
before(async () => {
  harness = await startFeedHarness()
})
after(() => harness.stop())

const thing = (id: string, at = 1, more: Partial<Thing> = {}): Thing => ({ id, at, types: ['photos'], ...more })
const things = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => thing(`t${from + i}`, from + i))
const next = async (replica: Replica, limit?: number) => (await catchUp(harness, replica, limit)).map(short)
const now = async (filter = '') => {
  await harness.recorded()
  const replica = new Replica(filter)
  replica.apply(await harness.page(`cursor=now&${filter}`))
  return replica
}
const refusal = async (query: string) => {
  const { status, body } = await harness.feed(query)
  return [status, body['reason'], body['error']] as const
}

suite('GET /accounts/changes', () => {
  test('gives what is stored in all accounts, then what changes, with account and profile', async () => {
    const [one, two] = [await harness.newReader(), await harness.newReader()]
    const [a, b] = [await harness.newProfile(one), await harness.newProfile(two, 'museum', 'ben')]
    await harness.write(a, things(0, 3))
    await harness.write(b, things(3, 5))
    const replica = new Replica()
    await next(replica, 2)
    const of = (profileId: string) => [...replica.items.values()].filter(({ profile }) => profile === profileId)
    assert.deepEqual(
      of(a.profileId)
        .map(({ item }) => item.data.id)
        .sort(),
      ['t0', 't1', 't2'],
    )
    assert.deepEqual(new Set(of(b.profileId).map(({ account }) => account)), new Set([two.account.id]))
    assert.equal(replica.profiles.get(a.profileId)?.account, one.account.id)
    await harness.recorded()
    await next(replica)
    await harness.write(a, [thing('t1', 1, { text: 'new' })])
    await harness.drop(b, ['t3'])
    await harness.recorded()
    assert.deepEqual((await next(replica)).filter((word) => word !== '=').sort(), ['+t1', '-t3'])
    assert.deepEqual(await next(replica), [])
  })

  test('P19 sends each version of an item once, however small the page', async () => {
    for (const limit of [1, 3, 5, 15]) {
      const profile = await harness.newProfile(await harness.newReader())
      const replica = await now()
      for (let version = 0; version < 10; version += 1) {
        const changed = Array.from({ length: 10 }, (_, i) => thing(`t${i}`, i, { text: `version ${version}` }))
        await harness.write(profile, changed)
        await harness.recorded()
      }
      const sent = (await catchUp(harness, replica, limit)).filter(({ change }) => change === 'upsert').map(short)
      assert.deepEqual(
        sent.toSorted(),
        Array.from({ length: 10 }, (_, i) => `+t${i}`),
        `limit ${limit}`,
      )
      assert.ok([...replica.items.values()].every(({ item }) => item.data['text'] === 'version 9'))
    }
  })

  test('P19 sends no version twice while four writers change the items', async () => {
    const profiles = await Promise.all([0, 1, 2, 3].map(async () => harness.newProfile(await harness.newReader())))
    const replica = await now()
    const sent = new Map<string, number>()
    const read = async (limit: number): Promise<boolean> => {
      const page = await harness.page(replica.query(limit))
      replica.apply(page)
      for (const entry of page.changes) {
        if (entry.change !== 'upsert') continue
        const version = `${entry.profile} ${entry.item.id} ${String(entry.item.data['text'])}`
        sent.set(version, (sent.get(version) ?? 0) + 1)
      }
      return page.more
    }
    const written = Promise.all(
      profiles.map(async (profile, writer) => {
        for (let version = 0; version < 12; version += 1)
          await harness.write(
            profile,
            [0, 1, 2].map((i) => thing(`w${i}`, i, { text: `${writer} ${version}` })),
          )
      }),
    )
    const state = { isWriting: true }
    const ended = written.finally(() => {
      state.isWriting = false
    })
    while (state.isWriting) await read(2)
    await ended
    await harness.recorded()
    while (await read(2));
    assert.deepEqual(
      [...sent].filter(([, times]) => times > 1),
      [],
    )
    const shown = [...replica.items.values()].filter(({ item }) => item.data.id.startsWith('w'))
    assert.deepEqual([shown.length, shown.every(({ item }) => String(item.data['text']).endsWith(' 11'))], [12, true])
  })

  test('names profiles that connect, move and are removed', async () => {
    const replica = await now()
    const [source, dest] = [await harness.newReader(), await harness.newReader()]
    const [moved, stays] = [await harness.newProfile(source), await harness.newProfile(dest)]
    await harness.write(moved, [thing('both'), thing('mine')])
    await harness.write(stays, [thing('both')])
    await harness.recorded()
    await next(replica)
    await harness.merge(source, dest)
    await harness.recorded()
    const entries = await catchUp(harness, replica)
    assert.deepEqual(replica.profiles.get(moved.profileId), { account: dest.account.id, mergedInto: stays.profileId })
    assert.ok(entries.some((each) => each.change === 'event' && each.event.type === 'account.merged'))
    assert.ok(
      entries.every(({ change }) => change !== 'upsert'),
      'no item is sent again',
    )
    await harness.disconnect(stays, dest)
    await harness.recorded()
    const removed = (await catchUp(harness, replica)).filter(({ change }) => change === 'profile_removed')
    assert.deepEqual(
      removed.map((each) => (each.change === 'profile_removed' ? each.profile : '')).sort(),
      [moved.profileId, stays.profileId].sort(),
    )
    assert.ok([...replica.items.values()].every(({ profile }) => ![moved.profileId, stays.profileId].includes(profile)))
  })

  test('S91 shows another app nothing, and accepts no cursor of its feed', async () => {
    const other = await makeApp(harness.tributary, { name: 'Other' })
    const { cursor } = await harness.page('cursor=now')
    const page = (await harness.feed('', 'GET', other)).body as unknown as FeedPage
    assert.deepEqual([page.changes, page.more], [[], false])
    const { status, body } = await harness.feed(`cursor=${cursor}`, 'GET', other)
    assert.deepEqual([status, body['reason']], [410, 'cursor_expired'])
  })

  test('S91 refuses damaged cursors, cursors of other filters and bad parameters', async () => {
    const { cursor } = await harness.page('cursor=now')
    const [content = '', mac = ''] = cursor.split('.')
    for (const bad of ['x', '.', content, `A${content}.${mac}`, `${cursor}.x`])
      assert.deepEqual((await refusal(`cursor=${bad}`)).slice(0, 2), [400, 'bad_parameter'], bad)
    assert.match(String((await refusal(`cursor=${cursor}&types=photos`))[2]), /^cursor: belongs to other/)
    for (const [query, name] of [
      ['wait=31', 'wait'],
      ['wait=x', 'wait'],
      ['limit=0', 'limit'],
      ['services=nope', 'services'],
      ['types=nope', 'types'],
    ] as const)
      assert.match(String((await refusal(query))[2]), new RegExp(`^${name}: `), query)
    assert.equal((await send(harness, 'GET', '/accounts/changes')).status, 401)
    assert.equal((await send(harness, 'HEAD', '/accounts/changes', { headers: basic(harness.app) })).status, 405)
  })

  test('P19 a cursor whose entries were removed, or that is ahead of a restored database, gets 410', async () => {
    const reader = await harness.newReader()
    const profile = await harness.newProfile(reader)
    const replica = await now()
    const old = replica.cursor!
    await harness.write(profile, [thing('a')])
    await harness.recorded()
    await next(replica)
    const current = replica.cursor!
    const { database } = harness.tributary.store
    await purgeFeeds(database, { entriesBeforeMs: Date.now() + 1000, readBeforeMs: 0 })
    assert.deepEqual((await refusal(`cursor=${old}`)).slice(0, 2), [410, 'cursor_expired'])
    assert.deepEqual((await harness.page(`cursor=${current}`)).changes, [], 'a reader that is up to date loses nothing')
    await harness.write(profile, [thing('b')])
    await harness.recorded()
    assert.deepEqual(await next(replica), ['+b'])
    await harness.tributary.sql('update feed set head = head - 1')
    assert.deepEqual((await refusal(`cursor=${replica.cursor}`)).slice(0, 2), [410, 'cursor_expired'])
    await harness.tributary.sql('update feed set head = head + 1')
    const moveNewest = (ms: number) =>
      harness.tributary.sql('update feed_entry set at = at + $1 where pos = (select max(pos) from feed_entry)', [ms])
    await moveNewest(1)
    assert.deepEqual((await refusal(`cursor=${replica.cursor}`)).slice(0, 2), [410, 'cursor_expired'])
    await moveNewest(-1)
    assert.deepEqual((await harness.page(`cursor=${replica.cursor}`)).changes, [])
  })

  test('a feed that is removed, by the app or because nobody reads it, is a new one afterwards', async () => {
    for (const remove of [
      () => harness.feed('', 'DELETE'),
      () => purgeFeeds(harness.tributary.store.database, { entriesBeforeMs: 0, readBeforeMs: Date.now() + 1000 }),
    ]) {
      const { cursor } = await harness.page('cursor=now')
      await remove()
      assert.deepEqual((await refusal(`cursor=${cursor}`)).slice(0, 2), [410, 'cursor_expired'])
      const replica = new Replica()
      await next(replica)
      const [row] = await harness.tributary.sql<{ n: number }>(
        'select count(*)::int as n from item i join profile p on p.shard = i.shard and p.id = i.profile_id where p.app_id = $1',
        [harness.appId],
      )
      assert.equal(replica.items.size, row!.n)
    }
    const kinds = await send(harness, 'GET', '/push', { headers: basic(harness.app) })
    assert.equal(kinds.text, '[]', 'it is not listed among the destinations')
  })
})

suite('waiting for changes', () => {
  test('wait= responds when something changes, and without changes when the time is over', async () => {
    const profile = await harness.newProfile(await harness.newReader())
    const replica = await now()
    const waiting = harness.page(`${replica.query(10)}&wait=30`)
    await harness.write(profile, [thing('awaited')])
    const page = await waiting
    assert.ok(page.changes.map(short).includes('+awaited'))
    await harness.recorded()
    replica.apply(page)
    await next(replica)
    assert.deepEqual((await harness.page(`${replica.query(10)}&wait=1`)).changes, [])
  })

  test('S79 a request that waits ends when the secret is no longer valid', async () => {
    const app = await makeApp(harness.tributary, { name: 'Rotating' })
    const first = (await harness.feed('cursor=now', 'GET', app)).body as unknown as FeedPage
    const waiting = harness.feed(`cursor=${first.cursor}&wait=30`, 'GET', app)
    const open = await openStream(app, first.cursor)
    await harness.tributary.sql('update app_secret set expires_at = 1 where app_id = $1', [app.clientId])
    assert.equal((await waiting).status, 401)
    const rest = await open.rest()
    assert.match(rest, /event: error\ndata: .*app_secret_invalid/)
  })

  test('a stream sends pages with their cursors, and continues after Last-Event-ID', async () => {
    const profile = await harness.newProfile(await harness.newReader())
    const replica = await now()
    const stream = await openStream(harness.app, replica.cursor)
    await harness.write(profile, [thing('first')])
    const first = await stream.until('+first')
    await harness.write(profile, [thing('second')])
    await stream.until('+second')
    stream.close()
    const again = await openStream(harness.app, undefined, first.id)
    const repeated = await again.until('+second')
    assert.ok(!repeated.words.includes('+first'))
    again.close()
  })

  test('an app has a limited number of requests that wait', async () => {
    const app = await makeApp(harness.tributary, { name: 'Many' })
    const { cursor } = (await harness.feed('cursor=now', 'GET', app)).body as unknown as FeedPage
    const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(app, cursor)))
    const refused = await harness.feed(`cursor=${cursor}&wait=5`, 'GET', app)
    assert.deepEqual([refused.status, refused.body['reason']], [429, 'too_many_readers'])
    for (const { close } of streams) close()
    await until(
      'one more may wait',
      async () => (await harness.feed(`cursor=${cursor}&wait=1`, 'GET', app)).status === 200,
    )
  })
})

/** A stream of the feed. */
async function openStream(app: { clientId: string; secret: string }, cursor?: string, lastEventId?: string) {
  const ended = new AbortController()
  const query = cursor === undefined ? '' : `?cursor=${cursor}`
  const response = await fetch(`${harness.tributary.url}/accounts/changes${query}`, {
    headers: {
      ...basic(app),
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    signal: ended.signal,
  })
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/)
  const chunks = response.body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
  let buffer = ''
  return {
    close: () => ended.abort(),
    rest: async () => {
      for (;;) {
        const { done, value } = await chunks.next()
        if (done === true) return buffer
        buffer += value
      }
    },
    /** Reads up to a message with this entry. */
    until: async (word: string): Promise<{ id: string; words: string[] }> => {
      for (;;) {
        const end = buffer.indexOf('\n\n')
        if (end < 0) {
          const { done, value } = await chunks.next()
          assert.notEqual(done, true, 'the stream is open')
          buffer += value
          continue
        }
        const message = buffer.slice(0, end)
        buffer = buffer.slice(end + 2)
        const data = /^data: (.*)$/m.exec(message)?.[1]
        if (data === undefined) continue
        const page = JSON.parse(data) as FeedPage
        const id = /^id: (.*)$/m.exec(message)?.[1] ?? ''
        assert.equal(page.cursor, id)
        const words = page.changes.map(short)
        if (words.includes(word)) return { id, words }
      }
    },
  }
}
