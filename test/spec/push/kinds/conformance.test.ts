import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { CheckpointDiffers, type Connection, DeliveryError } from '#destinations/contract.ts'
import type { DeliveryRow } from '#model/apps/destination.ts'
import { reasonOf } from '#platform/errors.ts'
import { cases, sampled, seedOf } from '../../../harness/effort.ts'
import { makePerson, type Person, seeded, shuffled } from './changes.ts'
import { allowed } from './files-fixture.ts'
import { type Arrived, deps, type Fixture, openTarget, type Target } from './fixture.ts'
import { FIXTURES } from './fixtures.ts'

after(async () => {
  rmSync(allowed, { recursive: true, force: true })
  await deps.close()
})

/** One of each way to deliver: tables, messages, calls, files. */
const SOME = FIXTURES.filter(({ name }) => ['postgres', 'mysql', 'nats', 'webhook', 'files in a folder'].includes(name))

for (const fixture of sampled(SOME, FIXTURES)) {
  suite(`R12 a ${fixture.name} destination`, { skip: fixture.skip }, () => conformance(fixture))
}

function conformance(fixture: Fixture): void {
  let target: Target
  let connection: Connection
  let destinationId: string
  const person = (name?: string) => makePerson(destinationId, name)
  /** For kinds that store a checkpoint. */
  const fenced = (name: string, work: () => Promise<void>) => {
    if (fixture.fences) void test(name, work)
  }
  const of = async ({ profile }: Person) =>
    (await target.read())
      .filter((item) => item.profile === profile.id)
      .sort((a, b) => (a.nativeId < b.nativeId ? -1 : 1))
  const shape = (items: Arrived[]) =>
    items.map(({ nativeId, seq, isDeleted }) => `${nativeId} ${seq}${isDeleted ? ' deleted' : ''}`)
  const onFresh = async (work: (target: Target, connection: Connection, again: () => Connection) => Promise<void>) => {
    const own = await fixture.open()
    const opened = openTarget(fixture, own, allowed)
    try {
      await work(own, opened.connection, opened.again)
    } finally {
      await opened.connection.close()
      await own.close()
    }
  }

  before(async () => {
    target = await fixture.open()
    const opened = openTarget(fixture, target, allowed)
    connection = opened.connection
    destinationId = opened.destination.id
    await connection.prepare()
  })
  after(async () => {
    await connection?.close()
    await target?.close()
  })

  test('can be prepared repeatedly and concurrently', () =>
    onFresh(async (own, one, again) => {
      const others = [again(), again(), again()]
      await Promise.all([one, ...others].map((each) => each.prepare()))
      const once = (await own.traces()).toSorted()
      await one.prepare()
      assert.deepEqual((await own.traces()).toSorted(), once)
      await Promise.all(others.map((each) => each.close()))
    }))

  test('stores rows unchanged', async () => {
    const ada = person()
    const row = ada.put('p1', 1)
    await connection.write(ada.batch([row]))
    const [found, ...more] = await of(ada)
    assert.equal(more.length, 0)
    assert.deepEqual(
      { ...found, data: JSON.parse(found!.data!) as unknown },
      {
        profile: ada.profile.id,
        id: row.id,
        seq: 1,
        isDeleted: false,
        nativeId: 'p1',
        data: { id: 'p1', version: 1 },
        types: ['photos'],
        participants: ['ada@demo', 'bob@demo'],
      },
    )
  })

  test('is not changed by repeated batches', async () => {
    const ada = person()
    const batches = [
      ada.batch([ada.put('a', 1), ada.put('b', 2)]),
      ada.batch([ada.put('a', 3), ada.delete('b', 4)], { from: 2 }),
    ]
    for (const batch of batches) await connection.write(batch)
    const before = await target.everything()
    await connection.write(batches[1]!)
    await connection.write(batches[1]!)
    assert.equal(await target.everything(), before)
    assert.deepEqual(shape(await of(ada)), ['a 3', 'b 4 deleted'])
  })

  test('P04 has the newest rows, whatever the order and repetition of batches', async () => {
    const seed = seedOf('SEED')
    const random = seeded(seed)
    const ada = person()
    const versions = cases(10, 'CASES')
    const rows = Array.from({ length: versions * 12 }, (_, i) => ada.put(`item-${i % 12}`, i + 1))
    const batches = shuffled(rows, random).reduce<DeliveryRow[][]>((all, row) => {
      if (all.length === 0 || random() < 0.2) all.push([])
      all.at(-1)!.push(row)
      return all
    }, [])
    const deliveries = shuffled(
      batches.flatMap((batch) => Array.from({ length: 1 + Math.floor(random() * 5) }, () => batch)),
      random,
    )
    for (const each of deliveries) await connection.write(ada.batch(each.toSorted((a, b) => a.seq - b.seq)))
    const want = Array.from({ length: 12 }, (_, i) => `item-${i} ${(versions - 1) * 12 + 1 + i}`).sort()
    assert.deepEqual(shape(await of(ada)), want, `seed ${seed}`)
    for (const { nativeId, seq, data } of await of(ada))
      assert.deepEqual(JSON.parse(data!), { id: nativeId, version: seq }, `seed ${seed}`)
  })

  test('deletes, ignores older rows afterwards, and undeletes with a newer row', async () => {
    const ada = person()
    await connection.write(ada.batch([ada.put('a', 1), ada.put('b', 2)]))
    await connection.write(ada.batch([ada.delete('a', 3)]))
    assert.deepEqual(shape(await of(ada)), ['a 3 deleted', 'b 2'])
    await connection.write(ada.batch([ada.put('a', 1)]))
    assert.deepEqual(shape(await of(ada)), ['a 3 deleted', 'b 2'])
    await connection.write(ada.batch([ada.put('a', 4)]))
    assert.deepEqual(shape(await of(ada)), ['a 4', 'b 2'])
    await connection.write(ada.batch([ada.delete('a', 3)]))
    assert.deepEqual(shape(await of(ada)), ['a 4', 'b 2'])
  })

  test('accepts deletes of unknown rows', async () => {
    const ada = person()
    await connection.write(ada.batch([ada.delete('never', 1), ada.put('a', 2)]))
    assert.deepEqual(shape((await of(ada)).filter(({ isDeleted }) => !isDeleted)), ['a 2'])
  })

  test('orders a put and a delete of the same item in one batch by seq', async () => {
    const ada = person()
    await connection.write(ada.batch([ada.put('a', 1), ada.delete('b', 2), ada.delete('a', 3), ada.put('b', 4)]))
    assert.deepEqual(shape(await of(ada)), ['a 3 deleted', 'b 4'].slice(fixture.atomic ? 1 : 0))
  })

  test('has separate rows for two accounts with the same service user', async () => {
    const [one, two] = [person('same'), person('same')]
    assert.equal(one.idOf('a'), two.idOf('a'))
    await connection.write(one.batch([one.put('a', 5)]))
    await connection.write(two.batch([two.put('a', 1)]))
    assert.deepEqual([shape(await of(one)), shape(await of(two))], [['a 5'], ['a 1']])
    await connection.erase({ destinationId, profileId: one.profile.id, epoch: 2 })
    assert.deepEqual([shape(await of(one)), shape(await of(two))], [[], ['a 1']])
  })

  test('erases everything of one profile and nothing of others', async () => {
    const [ada, bob] = [person(), person()]
    for (const each of [ada, bob]) {
      await connection.write(each.batch([each.put('a', 1), each.put('b', 2)]))
      await connection.write(each.batch([each.delete('b', 3)], { from: 2 }))
    }
    await connection.erase({ destinationId, profileId: ada.profile.id, epoch: 2 })
    assert.deepEqual(await of(ada), [])
    assert.deepEqual(shape(await of(bob)), ['a 1', 'b 3 deleted'])
    if (fixture.name !== 'webhook' && fixture.name !== 'nats')
      assert.doesNotMatch(await target.everything(), new RegExp(`${ada.profile.nativeId}\\b`))
    await connection.erase({ destinationId, profileId: ada.profile.id, epoch: 3 })
  })

  fenced('refuses an older run', async () => {
    const ada = person()
    await connection.write(ada.batch([ada.put('a', 1)], { epoch: 5 }))
    const before = await target.everything()
    await assert.rejects(connection.write(ada.batch([ada.put('a', 2), ada.put('b', 3)], { epoch: 4 })), (error) => {
      assert.ok(error instanceof CheckpointDiffers)
      assert.equal(error.recovery, 'retry')
      assert.deepEqual({ seq: error.checkpoint?.seq, epoch: error.checkpoint?.epoch }, { seq: 1, epoch: 5 })
      assert.ok(Math.abs(error.checkpoint!.updatedAtMs - Date.now()) < 60_000)
      return true
    })
    await assert.rejects(connection.erase({ destinationId, profileId: ada.profile.id, epoch: 4 }), DeliveryError)
    assert.equal(await target.everything(), before)
    await connection.write(ada.batch([ada.put('b', 3)], { epoch: 6 }))
    assert.deepEqual(shape(await of(ada)), ['a 1', 'b 3'])
  })

  fenced('says when it is behind what it should have', async () => {
    const ada = person()
    await assert.rejects(connection.write(ada.batch([ada.put('b', 9)], { from: 8 })), (error) => {
      assert.ok(error instanceof CheckpointDiffers)
      assert.equal(error.checkpoint, undefined)
      return true
    })
    await connection.write(ada.batch([ada.put('a', 1)]))
    await assert.rejects(connection.write(ada.batch([ada.put('b', 9)], { from: 8 })), (error) => {
      assert.ok(error instanceof CheckpointDiffers)
      assert.equal(error.checkpoint?.seq, 1)
      return true
    })
    assert.deepEqual(shape(await of(ada)), ['a 1'])
  })

  fenced('lets nothing of an erased profile come back', async () => {
    const ada = person()
    await connection.write(ada.batch([ada.put('a', 1)], { epoch: 3 }))
    await connection.erase({ destinationId, profileId: ada.profile.id, epoch: 4 })
    for (const epoch of [3, 4, 5])
      await assert.rejects(connection.write(ada.batch([ada.put('a', 2)], { epoch })), (error) => {
        assert.ok(error instanceof CheckpointDiffers)
        assert.deepEqual({ seq: error.checkpoint?.seq, epoch: error.checkpoint?.epoch }, { seq: -1, epoch: 4 })
        return true
      })
    assert.deepEqual(await of(ada), [])
  })

  fenced('keeps nothing of a write that was under way when its profile was erased', async () => {
    const seed = seedOf('SEED')
    const random = seeded(seed)
    for (let round = cases(12, 'CASES'); round > 0; round -= 1) {
      const ada = person()
      await connection.write(ada.batch([ada.put('a', 1)], { epoch: 1 }))
      const rows = Array.from({ length: 20 }, (_, i) => ada.put(`i${i}`, i + 2))
      const late = connection.write(ada.batch(rows, { epoch: 2, from: 1 })).then(
        () => undefined,
        (error: unknown) => error,
      )
      // The erasure should meet the write at any of its steps.
      await sleep(random() * 12)
      // As a run does: after CheckpointDiffers it tries again with a greater epoch.
      for (let epoch = 3; ; epoch += 1) {
        const refused = await connection.erase({ destinationId, profileId: ada.profile.id, epoch }).then(
          () => undefined,
          (error: unknown) => error,
        )
        if (refused === undefined) break
        assert.ok(refused instanceof CheckpointDiffers && epoch < 9, `seed ${seed}: ${reasonOf(refused)}`)
      }
      const failed = await late
      assert.ok(failed === undefined || failed instanceof CheckpointDiffers, `seed ${seed}: ${reasonOf(failed)}`)
      assert.deepEqual(shape(await of(ada)), [], `seed ${seed}, round ${round}`)
    }
  })

  if (!fixture.fences)
    test('sends run and seq of each change, so that a receiver can refuse older ones', async () => {
      const ada = person()
      await connection.write(ada.batch([ada.put('a', 2)], { epoch: 5 }))
      await connection.write(ada.batch([ada.put('a', 1)], { epoch: 4 }))
      await connection.erase({ destinationId, profileId: ada.profile.id, epoch: 6 })
      await connection.write(ada.batch([ada.put('a', 3)], { epoch: 5 }))
      assert.deepEqual(await target.runs!(ada.profile.id), ['5: put 2', '4: put 1', '6: erased', '5: put 3'])
    })

  test('accepts a batch without rows, and changes of the profile', async () => {
    const ada = person()
    await connection.write(ada.batch([]))
    await connection.write(ada.batch([], { profile: { ...ada.profile, state: 'gone', name: undefined }, epoch: 2 }))
    assert.deepEqual(await of(ada), [])
  })

  test('moves the checkpoint back for a replay', async () => {
    const ada = person()
    await connection.write(ada.batch([ada.put('a', 1), ada.put('b', 2)]))
    await connection.write(ada.batch([ada.put('a', 1)], { generation: 1, epoch: 2 }))
    await connection.write(ada.batch([ada.put('b', 2)], { generation: 1, epoch: 2, from: 1 }))
    assert.deepEqual(shape(await of(ada)), ['a 1', 'b 2'])
  })

  test('test() leaves nothing behind', () =>
    onFresh(async (own, fresh) => {
      const before = await own.traces()
      const findings = await fresh.test()
      assert.ok(findings.length > 0)
      assert.deepEqual(
        findings.filter(({ ok }) => !ok),
        [],
      )
      assert.deepEqual(await own.traces(), before)
    }))

  test('test() reports what is wrong', async (t) => {
    for (const { what, url, says, skip } of await fixture.wrong(target)) {
      await t.test(what, { skip: skip ?? false }, async () => {
        const { connection: wrong } = openTarget(fixture, { ...target, url }, allowed)
        try {
          const failed = (await wrong.test()).filter(({ ok }) => !ok)
          assert.match(failed.map(({ detail }) => detail).join('\n'), says)
          assert.doesNotMatch(JSON.stringify(failed), /letmein7|deps\/openssl/)
          const ada = person()
          await assert.rejects(
            async () => {
              await wrong.prepare()
              await wrong.write(ada.batch([ada.put('a', 1)]))
            },
            (error) => error instanceof DeliveryError && error.recovery === 'retry',
          )
        } finally {
          await wrong.close()
        }
      })
    }
  })

  if (fixture.poison === undefined)
    test('accepts rows that other kinds reject', async () => {
      const ada = person()
      const poisons = FIXTURES.flatMap(({ poison }) => (poison === undefined ? [] : [poison]))
      const rows = poisons.map((poison, i) => poison(ada.put(`p${i}`, i + 1)))
      await connection.write(ada.batch(rows))
      assert.deepEqual(
        (await of(ada)).map(({ data }) => data),
        rows.map(({ data }) => data),
      )
    })
  else
    test('rejects an invalid row, and only that one', async () => {
      const ada = person()
      const rows = [ada.put('a', 1), fixture.poison!(ada.put('b', 2)), ada.put('c', 3)]
      const before = await target.everything()
      await assert.rejects(connection.write(ada.batch(rows)), (error) => {
        assert.ok(error instanceof DeliveryError)
        assert.equal(error.recovery, 'reject')
        // A server that names the row saves the bisection.
        assert.equal(error.rowId, fixture.namesPoison === true ? rows[1]!.id : undefined)
        return true
      })
      assert.equal(await target.everything(), before)
      await connection.write(ada.batch([rows[0]!]))
      await assert.rejects(connection.write(ada.batch([rows[1]!], { from: 1 })), { recovery: 'reject' })
      await connection.write(ada.batch([rows[2]!], { from: 1 }))
      assert.deepEqual(shape(await of(ada)), ['a 1', 'c 3'])
    })

  // Webhooks have their own suite, and a folder has no connection to cut.
  if (fixture.canBeCut)
    test('survives a lost connection in the middle of a write', async () => {
      const seed = seedOf('SEED')
      const random = seeded(seed)
      let cuts = 0
      const rounds = cases(12, 'CASES')
      for (let round = 0; round < rounds; round += 1) {
        const ada = person()
        const rows = Array.from({ length: 40 }, (_, i) => ada.put(`i${String(i).padStart(2, '0')}`, i + 1))
        await connection.write(ada.batch(rows.slice(0, 2)))
        target.cutAfter!(Math.floor(random() * 30_000))
        const failed = await connection.write(ada.batch(rows, { from: 2, epoch: 2 })).then(
          () => undefined,
          (error: unknown) => error,
        )
        if (failed !== undefined) {
          assert.ok(failed instanceof DeliveryError && failed.recovery === 'retry', `seed ${seed}: ${reasonOf(failed)}`)
          cuts += 1
          const arrived = fixture.atomic ? (await of(ada)).length : 0
          // A lost response to the commit leaves everything; any other loss leaves nothing.
          if (fixture.atomic) assert.ok(arrived === 2 || arrived === 40, `seed ${seed}: ${arrived} rows of 40`)
        }
        target.cutAfter!(Number.POSITIVE_INFINITY)
        await connection.write(ada.batch(rows, { from: 2, epoch: 3 }))
        assert.equal((await of(ada)).length, 40, `seed ${seed}`)
        if (target.order !== undefined) {
          const order = (await target.order()).filter((each) => rows.some(({ id }) => each.startsWith(`${id}@`)))
          assert.deepEqual(
            order,
            rows.map(({ id, seq }) => `${id}@${seq}`),
            `seed ${seed}`,
          )
        }
      }
      assert.ok(cuts >= rounds / 4, `seed ${seed}: only ${cuts} of ${rounds} were cut`)
    })

  test('drops what it created, and can be prepared again', () =>
    onFresh(async (own, fresh) => {
      const before = await own.traces()
      await fresh.prepare()
      const ada = makePerson('other')
      await fresh.write(ada.batch([ada.put('a', 1)]))
      await fresh.drop()
      assert.deepEqual(await own.traces(), before)
      await fresh.drop()
      await fresh.prepare()
      await fresh.write(ada.batch([ada.put('a', 1)]))
      assert.equal((await own.read()).filter(({ profile }) => profile === ada.profile.id).length, 1)
    }))
}
