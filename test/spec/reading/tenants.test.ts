import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Item, type Reader, type ReadingHouse, startReadingHouse } from './fixture.ts'

let house: ReadingHouse
let mine: Reader
const others: { what: string; reader: Reader }[] = []

before(async () => {
  house = await startReadingHouse()
  mine = await house.newReader(7)
  const profile = await house.newProfile(mine, 'library', 'mine')
  await house.put(profile, [{ id: 'mine', at: 1, types: ['photos'], text: 'secret', title: 'secret' }])
  const put = async (what: string, part: number | undefined, owner: string) => {
    const reader = await house.newReader(part)
    const theirs = await house.newProfile(reader, 'library', owner)
    const secret = { types: ['photos' as const], title: 'secret', author: 'them', lat: 1, lng: 1, guid: ['shared'] }
    await house.put(theirs, [{ id: `theirs ${owner}`, at: 1, ...secret }])
    await house.put(theirs, [{ id: 'feed', at: 1, ...secret }], 'feed')
    await house.ask('/services/self/notes', reader, {
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
after(() => house.stop())

const ASKED = { headers: { 'x-request-id': 'the-same-for-all' } }

/** All that the caller can see of an answer, but for the moment. */
async function answer(path: string, reader: Reader): Promise<unknown> {
  const { status, text, headers } = await house.ask(path, reader, ASKED)
  const seen = [...headers].filter(([name]) => name !== 'date')
  return { status, text, headers: Object.fromEntries(seen) }
}

async function itemsOf(reader: Reader): Promise<Item[]> {
  const shelves = ['/types/photos', '/types/photos_feed', '/services/library/things', '/services/self/notes']
  return (await Promise.all(shelves.map((path) => house.items(`${path}?limit=100`, reader)))).flat()
}

suite('S22 what belongs to others', () => {
  test('there are others at all', async () => {
    for (const { what, reader } of others) assert.equal((await itemsOf(reader)).length, 5, what)
  })

  test('no id and no IDR of theirs answers anything but what nothing answers', async () => {
    const nothing = await answer(`/id/${'0'.repeat(32)}_${'0'.repeat(9)}`, mine)
    assert.equal((nothing as { status: number }).status, 404)
    const own = new Set((await house.items('/types/photos', mine)).map(({ id }) => id))
    for (const { what, reader } of others) {
      for (const { id, idr } of await itemsOf(reader)) {
        assert.ok(!own.has(id))
        for (const name of [id, encodeURIComponent(idr), encodeURIComponent(encodeURIComponent(idr)), `${id}?map=true`])
          assert.deepEqual(await answer(`/id/${name}`, mine), nothing, `${what}: ${name}`)
      }
    }
  })

  test('no native id of theirs answers anything but what nothing answers', async () => {
    const nothing = await answer('/services/library/things/none', mine)
    assert.equal((nothing as { status: number }).status, 404)
    for (const { reader } of others)
      for (const { data } of await house.items('/services/library/things', reader))
        assert.deepEqual(await answer(`/services/library/things/${encodeURIComponent(data.id)}`, mine), nothing)
    const noProfile = await answer('/services/nobody@library/things', mine)
    assert.deepEqual(await answer('/services/theirs@library/things', mine), noProfile)
    for (const { reader } of others)
      assert.deepEqual(await answer(`/services/${reader.account.id}@self/notes`, mine), noProfile)
  })

  test('no question finds anything of theirs', async () => {
    const questions = ['q=secret', 'q=sec*', 'participants=them', 'participants=%5Ethem', 'near=1,1', 'dedup=true', '']
    for (const question of questions)
      for (const path of ['/types/photos', '/types/all', '/services/library/things']) {
        const items = await house.items(`${path}?limit=1000&${question}`, mine)
        assert.ok(
          items.every(({ data }) => data.id === 'mine'),
          `${path}?${question}`,
        )
      }
    const { body } = await house.ask('/types', mine)
    assert.equal((body as { photos: number }).photos, 1)
  })

  test('their place in a page is a place like any other', async () => {
    for (const { reader } of others) {
      const [item] = await house.items('/types/photos', reader)
      const items = await house.items(`/types/photos?before=${item!.at + 1}_${item!.id}`, mine)
      assert.deepEqual(
        items.map(({ data }) => data.id),
        ['mine'],
      )
    }
  })

  test('nothing opens without a token, or with one that is none', async () => {
    for (const path of ['/types', '/types/photos', '/services/library', '/services/library/things', '/id/x']) {
      const [missing, wrong] = [await fetch(house.tributary.url + path), await house.ask(path, { token: 'trt_x' })]
      assert.deepEqual([missing.status, ((await missing.json()) as { reason: string }).reason], [401, 'token_missing'])
      assert.deepEqual([wrong.status, (wrong.body as { reason: string }).reason], [401, 'token_invalid'])
    }
  })
})
