import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { after, before, beforeEach, suite, test } from 'node:test'
import { revokeAnyToken } from '#identity/accounts.ts'
import { newOperator, type SignedIn } from '../../harness/operator.ts'
import { until } from '../../harness/until.ts'
import { type SyncHarness, startSyncHarness } from './shop-fixture.ts'

let harness: SyncHarness
/** Calls to the shop whose response has not ended. */
let openCalls: { path: string; response: ServerResponse }[] = []
let people = 0

before(async () => {
  harness = await startSyncHarness()
  const hold = (path: string, begin: (response: ServerResponse) => void) =>
    harness.service.on(path, (_request, response) => {
      begin(response)
      openCalls.push({ path, response })
      return undefined
    })
  hold('/orders', () => {})
  hold('/silent', () => {})
  hold('/endless', (response) => response.writeHead(200).write('the beginning'))
})
after(() => harness.stop())
beforeEach(() => {
  openCalls = []
})

interface Person {
  access_token: string
  account: string
}

const WAYS: Record<string, (person: Person) => Promise<unknown>> = {
  'its token is revoked': ({ access_token: token }) => revokeAnyToken(harness.tributary.store, token),
  'its profile is disconnected': ({ access_token: token }) => harness.ask('DELETE', '/profiles/shop', token),
}

const newPerson = () => harness.connect(`person${(people += 1)}`)

async function open(path: string, { access_token: token }: Person, headers: Record<string, string> = {}) {
  return fetch(`${harness.tributary.url}${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } })
}

/** The shop's side of a call, once it has arrived. */
async function openCall(path: string): Promise<ServerResponse> {
  const found = await until(`the shop receives ${path}`, () => openCalls.find((each) => each.path === path))
  return found.response
}

for (const [name, end] of Object.entries(WAYS)) {
  suite(`when ${name}`, { timeout: 900_000 }, () => {
    test('a client that follows a sync gets no more events and no false end', async () => {
      const person = await newPerson()
      const reply = await open('/profiles/shop/sync', person, { accept: 'text/event-stream' })
      const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader()
      let text = (await reader.read()).value ?? ''
      assert.match(text, /event: progress/)
      await end(person)
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) text += piece.value
      assert.doesNotMatch(text, /event: done/)
    })

    test('a proxied body in progress is cut off, here and at the service', async () => {
      const person = await newPerson()
      const reply = await open('/proxy/shop/endless', person)
      const service = await openCall('/endless')
      const closed = once(service, 'close')
      const reader = reply.body!.getReader()
      assert.equal(Buffer.from((await reader.read()).value ?? []).toString(), 'the beginning')
      await end(person)
      await assert.rejects(reader.read())
      await closed
    })

    test('a proxied call without a response yet is refused', async () => {
      const person = await newPerson()
      const responding = open('/proxy/shop/silent', person)
      const closed = once(await openCall('/silent'), 'close')
      await end(person)
      const reply = await responding
      assert.deepEqual([reply.status, ((await reply.json()) as { reason: string }).reason], [401, 'token_invalid'])
      await closed
    })
  })
}

test('a running sync ends its call to the service when its profile is disconnected', { timeout: 900_000 }, async () => {
  const person = await newPerson()
  const service = await openCall('/orders')
  const closed = once(service, 'close')
  await harness.ask('DELETE', '/profiles/shop', person.access_token)
  await closed
})

const LOST_RIGHTS: Record<string, (operator: SignedIn) => Promise<unknown>> = {
  'their session is ended': ({ id }) => harness.tributary.admin('DELETE', `/admin/operators/${id}/sessions`),
  'they may no longer use the app': ({ id }) =>
    harness.tributary.admin('PATCH', `/admin/operators/${id}`, { role: 'developer', apps: [] }),
  'they are removed': ({ id }) => harness.tributary.admin('DELETE', `/admin/operators/${id}`),
}

suite('what an operator follows or receives for an account', { timeout: 900_000 }, () => {
  before(() => newOperator(harness.tributary))

  for (const [name, lose] of Object.entries(LOST_RIGHTS))
    test(`is cut off when ${name}`, async () => {
      const person = await newPerson()
      const operator = await newOperator(harness.tributary)
      const headers = { ...operator.headers, 'tributary-account': person.account }
      const at = harness.tributary.url
      const followed = await fetch(`${at}/sync`, { headers: { ...headers, accept: 'text/event-stream' } })
      const proxied = await fetch(`${at}/proxy/shop/endless`, { headers })
      const readers = [followed.body!.getReader(), proxied.body!.getReader()]
      for (const reader of readers) assert.equal((await reader.read()).done, false)
      await lose(operator)
      for (const reader of readers)
        await assert.rejects(async () => {
          // Events that were on their way still arrive.
          for (let piece = await reader.read(); !piece.done; piece = await reader.read());
        })
    })
})

test('one account can follow its syncs only so often at once, and again when a client is gone', async () => {
  const person = await newPerson()
  const follow = async () => {
    const aborting = new AbortController()
    const { status } = await fetch(`${harness.tributary.url}/sync`, {
      signal: aborting.signal,
      headers: { authorization: `Bearer ${person.access_token}`, accept: 'text/event-stream' },
    })
    return { status, leave: () => aborting.abort() }
  }
  const followers: Awaited<ReturnType<typeof follow>>[] = []
  for (let n = 0; n < 21; n += 1) followers.push(await follow())
  assert.deepEqual(
    followers.map(({ status }) => status),
    [...Array.from({ length: 20 }, () => 200), 429],
  )
  const other = await newPerson()
  assert.equal((await open('/sync', other)).status, 200)
  for (const { leave } of followers) leave()
  const again = await until('a place is free', follow, ({ status }) => status === 200)
  again.leave()
})
