import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Connection } from '#destinations/contract.ts'
import { mysqlFixture } from './at-mysql.ts'
import { postgresFixture } from './at-postgres.ts'
import { makePerson, type Person } from './changes.ts'
import { deps, openDestination, type Place } from './fixture.ts'

after(() => deps.close())

for (const fixture of [postgresFixture, mysqlFixture])
  suite(`deletes in ${fixture.name}`, { skip: fixture.skip }, () => {
    let place: Place
    let soft: Connection
    let hard: Connection
    let destinationId: string
    before(async () => {
      place = await fixture.open()
      const opened = openDestination(fixture, place, undefined)
      soft = opened.connection
      destinationId = opened.destination.id
      hard = opened.kind.open(
        deps,
        { ...opened.destination, options: { ...place.options, deletes: 'hard' } },
        { url: place.url },
      )
      await soft.prepare()
    })
    after(async () => {
      await soft?.close()
      await hard?.close()
      await place?.close()
    })

    const of = async ({ profile }: Person) =>
      (await place.read())
        .filter((item) => item.profile === profile.id)
        .map(({ nativeId, seq, tombstones }) => `${nativeId} ${seq}${tombstones ? ' gone' : ''}`)
        .sort()
    /** Of whom the tables say anything, people of items included. */
    const mentions = async ({ profile }: Person, id: string) =>
      (await place.everything()).includes(`${profile.id}","id":"${id}`) ||
      (await place.everything()).includes(`"item_id":"${id}`)

    test('P09 hard: the row goes with its people, comes back with a newer one, and not by an older deletion', async () => {
      const ada = makePerson(destinationId)
      await hard.write(ada.batch([ada.put('a', 1), ada.put('b', 2), ada.put('c', 3)]))
      assert.ok(await mentions(ada, ada.idOf('a')))
      await hard.write(ada.batch([ada.tombstones('a', 4), ada.tombstones('never', 5)], { from: 3 }))
      assert.deepEqual(await of(ada), ['b 2', 'c 3'])
      assert.ok(!(await mentions(ada, ada.idOf('a'))), 'nothing is left of it')
      await hard.write(ada.batch([ada.put('a', 6)], { from: 5 }))
      assert.deepEqual(await of(ada), ['a 6', 'b 2', 'c 3'])
      await hard.write(ada.batch([ada.tombstones('a', 4)], { from: 5, upTo: 6 }))
      assert.deepEqual(await of(ada), ['a 6', 'b 2', 'c 3'])
      await hard.write(
        ada.batch([ada.put('d', 7), ada.tombstones('d', 8), ada.tombstones('b', 9), ada.put('b', 10)], { from: 6 }),
      )
      assert.deepEqual(await of(ada), ['a 6', 'b 10', 'c 3'])
    })

    test('P09 hard takes the same item of nobody else', async () => {
      const [ada, bob] = [makePerson(destinationId, 'same'), makePerson(destinationId, 'same')]
      for (const each of [ada, bob]) await hard.write(each.batch([each.put('a', 1)]))
      await hard.write(ada.batch([ada.tombstones('a', 2)], { from: 1 }))
      assert.deepEqual([await of(ada), await of(bob)], [[], ['a 1']])
    })

    test('P09 what was marked before is removed when it is told again', async () => {
      const ada = makePerson(destinationId)
      await soft.write(ada.batch([ada.put('a', 1), ada.put('b', 2)]))
      await soft.write(ada.batch([ada.tombstones('a', 3)], { from: 2 }))
      assert.deepEqual(await of(ada), ['a 3 gone', 'b 2'])
      await hard.write(ada.batch([ada.put('b', 2), ada.tombstones('a', 3)], { epoch: 2, generation: 1 }))
      assert.deepEqual(await of(ada), ['b 2'])
      await hard.erase({ destinationId, profileId: ada.profile.id, epoch: 3 })
      assert.deepEqual(await of(ada), [])
    })
  })
