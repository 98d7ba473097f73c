import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Item, type Reader, type ReadingHarness, startReadingHarness } from './fixture.ts'

let harness: ReadingHarness
let caller: Reader
const others: { what: string; reader: Reader }[] = []

before(async () => {
  harness = await startReadingHarness()
  caller = await harness.newReader(7)
  const profile = await harness.newProfile(caller, 'library', 'mine')
  await harness.put(profile, [{ id: 'mine', at: 1, types: ['photos'], text: 'secret', title: 'secret' }])
  const put = async (what: string, shard: number | undefined, owner: string) => {
    const reader = await harness.newReader(shard)
    const profile = await harness.newProfile(reader, 'library', owner)
    const secret = { types: ['photos' as const], title: 'secret', author: 'them', lat: 1, lng: 1, guid: ['shared'] }
    await harness.put(profile, [{ id: `theirs ${owner}`, at: 1, ...secret }])
    await harness.put(profile, [{ id: 'feed', at: 1, ...secret }], 'feed')
    await harness.request('/services/self/notes', reader, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([{ id: 'own', at: 1, type: 'photos', title: 'secret' }]),
    })
    others.push({ what, reader })
  }
  await put('another part', undefined, 'theirs')
  await put('the same part', 7, 'theirs')
  // The same service user in two accounts: each has its own items.
  await put('the same service user', 8, 'mine')
})
after(() => harness.stop())

const SAME_REQUEST_ID = { headers: { 'x-request-id': 'the-same-for-all' } }

/** Everything that the caller can see of a response, except the time. */
async function visiblePart(path: string, reader: Reader): Promise<unknown> {
  const { status, text, headers } = await harness.request(path, reader, SAME_REQUEST_ID)
  const seen = [...headers].filter(([name]) => name !== 'date')
  return { status, text, headers: Object.fromEntries(seen) }
}

async function itemsOf(reader: Reader): Promise<Item[]> {
  const categories = ['/types/photos', '/types/photos_feed', '/services/library/things', '/services/self/notes']
  return (await Promise.all(categories.map((path) => harness.items(`${path}?limit=100`, reader)))).flat()
}

suite('S22 items of other accounts', () => {
  test('exist in this test', async () => {
    for (const { what, reader } of others) assert.equal((await itemsOf(reader)).length, 5, what)
  })

  test('by id or IDR return the same as an unknown id', async () => {
    const nothing = await visiblePart(`/id/${'0'.repeat(32)}_${'0'.repeat(9)}`, caller)
    assert.equal((nothing as { status: number }).status, 404)
    const own = new Set((await harness.items('/types/photos', caller)).map(({ id }) => id))
    for (const { what, reader } of others) {
      for (const { id, idr } of await itemsOf(reader)) {
        assert.ok(!own.has(id))
        for (const name of [id, encodeURIComponent(idr), encodeURIComponent(encodeURIComponent(idr)), `${id}?map=true`])
          assert.deepEqual(await visiblePart(`/id/${name}`, caller), nothing, `${what}: ${name}`)
      }
    }
  })

  test('by native id return the same as an unknown id', async () => {
    const nothing = await visiblePart('/services/library/things/none', caller)
    assert.equal((nothing as { status: number }).status, 404)
    for (const { reader } of others)
      for (const { data } of await harness.items('/services/library/things', reader))
        assert.deepEqual(await visiblePart(`/services/library/things/${encodeURIComponent(data.id)}`, caller), nothing)
    const noProfile = await visiblePart('/services/nobody@library/things', caller)
    assert.deepEqual(await visiblePart('/services/theirs@library/things', caller), noProfile)
    for (const { reader } of others)
      assert.deepEqual(await visiblePart(`/services/${reader.account.id}@self/notes`, caller), noProfile)
  })

  test('are found by no query', async () => {
    const questions = ['q=secret', 'q=sec*', 'participants=them', 'participants=%5Ethem', 'near=1,1', 'dedup=true', '']
    for (const question of questions)
      for (const path of ['/types/photos', '/types/all', '/services/library/things']) {
        const items = await harness.items(`${path}?limit=1000&${question}`, caller)
        assert.ok(
          items.every(({ data }) => data.id === 'mine'),
          `${path}?${question}`,
        )
      }
    const { body } = await harness.request('/types', caller)
    assert.equal((body as { photos: number }).photos, 1)
  })

  test('as a paging position work like any other position', async () => {
    for (const { reader } of others) {
      const [item] = await harness.items('/types/photos', reader)
      const items = await harness.items(`/types/photos?before=${item!.at + 1}_${item!.id}`, caller)
      assert.deepEqual(
        items.map(({ data }) => data.id),
        ['mine'],
      )
    }
  })

  test('nothing is returned without a token, or with an invalid one', async () => {
    for (const path of ['/types', '/types/photos', '/services/library', '/services/library/things', '/id/x']) {
      const [missing, wrong] = [
        await fetch(harness.tributary.url + path),
        await harness.request(path, { token: 'trt_x' }),
      ]
      assert.deepEqual([missing.status, ((await missing.json()) as { reason: string }).reason], [401, 'token_missing'])
      assert.deepEqual([wrong.status, (wrong.body as { reason: string }).reason], [401, 'token_invalid'])
    }
  })
})
