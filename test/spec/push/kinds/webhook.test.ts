import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { CheckpointDiffers, DeliveryError } from '#destinations/contract.ts'
import { sign, webhook } from '#destinations/webhook/webhook.ts'
import { makePerson } from './changes.ts'
import { deps, destinationOf } from './fixture.ts'
import { openReceiver, type Receiver } from './webhook-fixture.ts'

after(() => deps.close())

async function withReceiver(work: (receiver: Receiver) => Promise<void>): Promise<void> {
  const receiver = await openReceiver()
  try {
    await work(receiver)
  } finally {
    await receiver.close()
  }
}

const open = (receiver: Receiver, signing = receiver.signing!) =>
  webhook.open(deps, destinationOf('webhook'), { url: receiver.url, signing })

async function failureOf(work: Promise<unknown>): Promise<DeliveryError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof DeliveryError && !(error instanceof CheckpointDiffers))
  return error
}

suite('webhook messages', () => {
  test('S54 have a signature that the standard verifies, by both secrets during a rotation', () =>
    withReceiver(async (receiver) => {
      const ada = makePerson('dst')
      const [older, newer] = receiver.signing as [string, string]
      await open(receiver, [older]).write(ada.batch([ada.put('a', 1)]))
      await open(receiver, [newer, older]).write(ada.batch([ada.put('b', 2)]))
      await open(receiver, [newer]).write(ada.batch([ada.put('c', 3)]))
      assert.deepEqual(
        receiver.messages.map(({ verifiedBy }) => verifiedBy),
        [[0], [0, 1], [1]],
      )
    }))

  test('S54 do not verify when altered, old or signed by another secret', () => {
    const secret = webhook.newSigning!()
    const now = Math.floor(Date.now() / 1000)
    const headers = (at: number, id = 'msg_1', signature = sign(secret, 'msg_1', at, '{"a":1}')) => ({
      'webhook-id': id,
      'webhook-timestamp': String(at),
      'webhook-signature': signature,
    })
    const verify = (body: string, given: Record<string, string>, by = secret) => new Webhook(by).verify(body, given)
    verify('{"a":1}', headers(now))
    assert.throws(() => verify('{"a":2}', headers(now)))
    assert.throws(() => verify('{"a":1}', headers(now, 'msg_2')))
    assert.throws(() => verify('{"a":1}', headers(now - 301)))
    assert.throws(() => verify('{"a":1}', { ...headers(now), 'webhook-timestamp': String(now + 1) }))
    assert.throws(() => verify('{"a":1}', headers(now), webhook.newSigning!()))
    assert.equal(headers(now)['webhook-signature'], new Webhook(secret).sign('msg_1', new Date(now * 1000), '{"a":1}'))
    assert.match(secret, /^whsec_[A-Za-z0-9+/=]{32,}$/)
  })

  test('have the same id when repeated, and another one in a replay', () =>
    withReceiver(async (receiver) => {
      const ada = makePerson('dst')
      const connection = open(receiver)
      const batch = ada.batch([ada.put('a', 1), ada.put('b', 2)])
      await connection.write(batch)
      await connection.write({ ...batch, epoch: 2 })
      await connection.write({ ...batch, epoch: 3, generation: 1 })
      const [first, repeated, again] = receiver.messages.map(({ id }) => id)
      assert.equal(first, repeated)
      assert.notEqual(first, again)
    }))

  test('are bounded: a large batch is sent in several, in order', () =>
    withReceiver(async (receiver) => {
      const ada = makePerson('dst')
      const rows = Array.from({ length: 30 }, (_, i) =>
        ada.put(`i${i}`, i + 1, { data: JSON.stringify({ x: 'y'.repeat(100_000) }) }),
      )
      await open(receiver).write(ada.batch(rows))
      assert.ok(receiver.messages.length >= 6)
      for (const { body } of receiver.messages) assert.ok(body.length < 600_000)
      assert.deepEqual(
        await receiver.order!(),
        rows.map(({ id, seq }) => `${id}@${seq}`),
      )
    }))

  test('report profile changes, erasures and events', () =>
    withReceiver(async (receiver) => {
      const ada = makePerson('dst')
      const connection = open(receiver)
      await connection.write(ada.batch([], { epoch: 7 }))
      await connection.erase({ destinationId: 'dst', profileId: ada.profile.id, epoch: 8 })
      await connection.notify!({ id: 'evt_1', type: 'destination.recovered', at: 0, data: { x: 1 } })
      const bodies = receiver.messages.map(({ body }) => JSON.parse(body) as { type: string; data: unknown })
      assert.deepEqual(
        bodies.map(({ type }) => type),
        ['profile.changed', 'profile.erased', 'destination.recovered'],
      )
      assert.deepEqual(bodies[1]!.data, { profile: ada.profile.id, run: 8 })
    }))
})

suite('webhook responses', () => {
  const ada = makePerson('dst')
  const batch = ada.batch([ada.put('a', 1)])
  for (const [status, recovery] of [
    [200, undefined],
    [202, undefined],
    [204, undefined],
    [301, 'retry'],
    [400, 'retry'],
    [401, 'retry'],
    [404, 'retry'],
    [408, 'retry'],
    [410, 'gone'],
    [413, 'reject'],
    [425, 'retry'],
    [429, 'retry'],
    [500, 'retry'],
    [503, 'retry'],
  ] as const) {
    test(`${status} means ${recovery ?? 'accepted'}`, () =>
      withReceiver(async (receiver) => {
        receiver.response = () => ({ status, headers: { location: 'http://127.0.0.1:1/', 'retry-after': '7' } })
        if (recovery === undefined) return open(receiver).write(batch)
        const error = await failureOf(open(receiver).write(batch))
        assert.equal(error.recovery, recovery)
        assert.match(error.message, new RegExp(String(status)))
        if (status === 429 || status === 503) assert.equal(error.retryAfterMs, 7000)
      }))
  }

  test('after a failure in the middle of a large batch, the whole batch is repeated', () =>
    withReceiver(async (receiver) => {
      const rows = Array.from({ length: 20 }, (_, i) =>
        ada.put(`i${i}`, i + 1, { data: JSON.stringify({ x: 'y'.repeat(100_000) }) }),
      )
      let left = 2
      receiver.response = () => (left-- > 0 ? undefined : { status: 500 })
      await failureOf(open(receiver).write(ada.batch(rows)))
      assert.equal(receiver.messages.length, 2)
      receiver.response = () => undefined
      await open(receiver).write(ada.batch(rows))
      const ids = receiver.messages.map(({ id }) => id)
      assert.deepEqual(ids.slice(2, 4), ids.slice(0, 2))
      assert.equal((await receiver.read()).length, 20)
    }))
})
