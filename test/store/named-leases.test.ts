import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { migrate } from '#store/migrate.ts'
import { endNamedLease, endOfNamedLease, extendNamedLease, takeNamedLease } from '#store/named-leases.ts'
import { type Opened, openPrepared } from './opened.ts'

suite('a lease with a name', () => {
  let opened: Opened
  before(async () => {
    opened = await openPrepared()
    await migrate(opened.database, 1)
  })
  after(() => opened.close())

  test('is taken by one of many, by another when its time is over, and the one before can neither extend nor end it', async () => {
    const { database } = opened
    const many = await Promise.all(Array.from({ length: 8 }, () => takeNamedLease(database, 'work', 1000, 2000)))
    const [first, ...others] = many.filter((each) => each !== undefined)
    assert.deepEqual(others, [])
    assert.ok(first !== undefined)
    assert.equal(await extendNamedLease(database, first, 3000), true)
    assert.equal(await takeNamedLease(database, 'work', 2999, 4000), undefined)
    const second = await takeNamedLease(database, 'work', 3000, 5000)
    assert.ok(second !== undefined)
    assert.equal(await extendNamedLease(database, first, 9000), false)
    await endNamedLease(database, first)
    assert.equal(await endOfNamedLease(database, 'work'), 5000)
    await endNamedLease(database, second)
    assert.equal(await endOfNamedLease(database, 'work'), undefined)
    assert.ok((await takeNamedLease(database, 'work', 3001, 4000)) !== undefined)
  })
})
