import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Connection } from '#destinations/contract.ts'
import { makePerson, type Person } from './changes.ts'
import { deps, openTarget, type Target } from './fixture.ts'
import { mysqlFixture } from './mysql-fixture.ts'
import { postgresFixture } from './postgres-fixture.ts'

after(() => deps.close())

for (const fixture of [postgresFixture, mysqlFixture])
  suite(`deletes in ${fixture.name}`, { skip: fixture.skip }, () => {
    let target: Target
    let soft: Connection
    let hard: Connection
    let destinationId: string
    before(async () => {
      target = await fixture.open()
      const opened = openTarget(fixture, target, undefined)
      soft = opened.connection
      destinationId = opened.destination.id
      hard = opened.kind.open(
        deps,
        { ...opened.destination, options: { ...target.options, deletes: 'hard' } },
        { url: target.url },
      )
      await soft.prepare()
    })
    after(async () => {
      await soft?.close()
      await hard?.close()
      await target?.close()
    })

    const of = async ({ profile }: Person) =>
      (await target.read())
        .filter((item) => item.profile === profile.id)
        .map(({ nativeId, seq, isDeleted }) => `${nativeId} ${seq}${isDeleted ? ' deleted' : ''}`)
        .sort()
    /** Profiles that occur in any table. */
    const mentions = async ({ profile }: Person, id: string) =>
      (await target.everything()).includes(`${profile.id}","id":"${id}`) ||
      (await target.everything()).includes(`"item_id":"${id}`)

    test('P09 hard: removes row and participants, restores them with a newer row, and ignores an older delete', async () => {
      const ada = makePerson(destinationId)
      await hard.write(ada.batch([ada.put('a', 1), ada.put('b', 2), ada.put('c', 3)]))
      assert.ok(await mentions(ada, ada.idOf('a')))
      await hard.write(ada.batch([ada.delete('a', 4), ada.delete('never', 5)], { from: 3 }))
      assert.deepEqual(await of(ada), ['b 2', 'c 3'])
      assert.ok(!(await mentions(ada, ada.idOf('a'))), 'nothing is left of it')
      await hard.write(ada.batch([ada.put('a', 6)], { from: 5 }))
      assert.deepEqual(await of(ada), ['a 6', 'b 2', 'c 3'])
      await hard.write(ada.batch([ada.delete('a', 4)], { from: 5, upTo: 6 }))
      assert.deepEqual(await of(ada), ['a 6', 'b 2', 'c 3'])
      await hard.write(
        ada.batch([ada.put('d', 7), ada.delete('d', 8), ada.delete('b', 9), ada.put('b', 10)], { from: 6 }),
      )
      assert.deepEqual(await of(ada), ['a 6', 'b 10', 'c 3'])
    })

    test('P09 hard: does not remove the same item of another profile', async () => {
      const [ada, bob] = [makePerson(destinationId, 'same'), makePerson(destinationId, 'same')]
      for (const each of [ada, bob]) await hard.write(each.batch([each.put('a', 1)]))
      await hard.write(ada.batch([ada.delete('a', 2)], { from: 1 }))
      assert.deepEqual([await of(ada), await of(bob)], [[], ['a 1']])
    })

    test('P09 hard: a replay removes rows that were soft-deleted before', async () => {
      const ada = makePerson(destinationId)
      await soft.write(ada.batch([ada.put('a', 1), ada.put('b', 2)]))
      await soft.write(ada.batch([ada.delete('a', 3)], { from: 2 }))
      assert.deepEqual(await of(ada), ['a 3 deleted', 'b 2'])
      await hard.write(ada.batch([ada.put('b', 2), ada.delete('a', 3)], { epoch: 2, generation: 1 }))
      assert.deepEqual(await of(ada), ['b 2'])
      await hard.erase({ destinationId, profileId: ada.profile.id, epoch: 3 })
      assert.deepEqual(await of(ada), [])
    })
  })
