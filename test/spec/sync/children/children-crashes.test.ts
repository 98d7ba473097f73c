import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Fixture, openFixture } from '../engine-fixture.ts'
import { type Folder, folder, openFolders } from './children-fixture.ts'

/** Numbers from 0 to 1 that are the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

suite('child endpoints and runs that end in the middle', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  test('a run that loses its lease is continued at the parent where it was', async () => {
    const folders = ['a', 'b', 'c', 'd', 'e'].map((id) => folder(id, 12))
    const { profile, ids, expected, asked, script } = await openFolders(fixture, 'lost', folders)
    const loseLease = () =>
      fixture.sql('update profile_sync set lease_token = null, next_run_at = 0 where profile_id = $1', [profile.id])
    fixture.service.on('/lost/d/entries', async () => {
      await loseLease()
      return { body: { notes: [{ id: 'not stored' }] } }
    })
    await fixture.run(profile)
    assert.ok(!(await ids()).includes('d:not stored'), 'nothing is written without the lease')
    const { state, parents, progress, pages } = await fixture.progress(profile, 'entries')
    assert.deepEqual(
      { state, parents, progress, pages },
      { state: 'running', parents: { done: 3, of: 5 }, progress: 0.6, pages: 12 },
    )
    script('d')
    const before = ['a', 'b', 'c'].map(asked)
    await fixture.run(profile)
    assert.deepEqual(await ids(), expected())
    assert.deepEqual(['a', 'b', 'c'].map(asked), before, 'what was read is not read again')
  })

  test('many parents yield to the other endpoints, and end', async () => {
    const slow = await openFixture({ sliceMs: 0 })
    try {
      const folders = Array.from({ length: 12 }, (_, i) => folder(`s${i}`, 7))
      const { profile, ids, expected, settle } = await openFolders(slow, 'slices', folders, { deletes: 'all' })
      await settle()
      assert.deepEqual(await ids(), expected())
      folders[5]!.entries.splice(0, 2)
      slow.clock.offsetMs += 86_400_000
      await settle()
      assert.deepEqual(await ids(), expected())
      assert.equal((await slow.progress(profile, 'entries')).state, 'done')
    } finally {
      await slow.close()
    }
  })

  for (const when of ['always', 'changed'] as const)
    for (const seed of [1, 2, 3])
      test(`whatever changes and wherever runs end, the result is what the service has (${when}, seed ${seed})`, async () => {
        const chance = seeded(seed)
        const pick = (count: number) => Math.floor(chance() * count)
        const name = `random-${when}-${seed}`
        const folders: Folder[] = Array.from({ length: 6 }, (_, i) => folder(`s${i}`, pick(14)))
        const random = await openFolders(fixture, name, folders, { when, deletes: 'all' })
        const { holder, profile, ids, expected } = random
        let made = folders.length
        let calls = 0
        let endAt = 0
        // The scripts look folders up when they are asked, so that a new one only needs its path.
        const interrupt = (id: string) => {
          random.script(id)
          const path = `/${name}/${id}/entries`
          fixture.service.on(path, async ({ query }) => {
            calls += 1
            if (calls === endAt)
              await fixture.sql('update profile_sync set lease_token = null, next_run_at = 0 where profile_id = $1', [
                profile.id,
              ])
            const found = holder.folders.find((each) => each.id === id)
            const page = Number(query['page'] ?? 1)
            return found === undefined
              ? { status: 404, body: {} }
              : { body: { notes: found.entries.slice((page - 1) * 5, page * 5) } }
          })
        }
        for (const { id } of folders) interrupt(id)
        const mutate = () => {
          const target = holder.folders[pick(holder.folders.length)]
          const what = pick(4)
          if (what === 0 || target === undefined) {
            const id = `s${(made += 1)}`
            holder.folders.push(folder(id, pick(9)))
            interrupt(id)
          } else if (what === 1) holder.folders.splice(holder.folders.indexOf(target), 1)
          else {
            target.mark = String(chance())
            if (what === 2) target.entries.splice(pick(target.entries.length), 1 + pick(2))
            else target.entries.push({ id: `n${(made += 1)}`, at: 1_700_000_000_000 + made })
          }
        }
        for (let turn = 0; turn < 12; turn += 1) {
          mutate()
          endAt = calls + 1 + pick(12)
          const stopped = new AbortController()
          if (chance() < 0.3) stopped.abort()
          fixture.clock.offsetMs += 3_600_000
          await fixture.run(profile, stopped.signal)
        }
        endAt = 0
        fixture.clock.offsetMs += 3_600_000
        await random.settle()
        // Parents whose walk was cut are visited again after the interval; a refused one after a day.
        fixture.clock.offsetMs += 2 * 86_400_000
        await random.settle()
        const confirmDeletes = (await fixture.progress(profile, 'entries')).suspect_deletes !== undefined
        const areSuspect = (await fixture.progress(profile, 'list')).suspect_deletes !== undefined
        if (confirmDeletes || areSuspect) {
          await fixture.sync(profile, { confirmDeletes: true })
          await random.settle()
        }
        assert.deepEqual(await ids(), expected())
        assert.equal((await fixture.progress(profile, 'entries')).items, expected().length, 'and is counted')
        const [links] = await fixture.sql<{ n: number }>(
          'select count(*)::int as n from child_item where profile_id = $1',
          [profile.id],
        )
        assert.equal(links!.n, expected().length, 'and no link is left over')
      })
})
