import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { after, before, beforeEach, suite, test } from 'node:test'
import { revokeAnyToken } from '#flows/authorize/accounts.ts'
import { until } from '../../harness/until.ts'
import { type SyncHarness, startSyncHarness } from './shop-fixture.ts'

let harness: SyncHarness
/** Calls that the shop has heard and not answered to the end. */
let held: { path: string; response: ServerResponse }[] = []
let people = 0

before(async () => {
  harness = await startSyncHarness()
  const hold = (path: string, begin: (response: ServerResponse) => void) =>
    harness.service.on(path, (_asked, response) => {
      begin(response)
      held.push({ path, response })
      return undefined
    })
  hold('/orders', () => {})
  hold('/silent', () => {})
  hold('/endless', (response) => response.writeHead(200).write('the beginning'))
})
after(() => harness.stop())
beforeEach(() => {
  held = []
})

interface Person {
  access_token: string
}

const WAYS: Record<string, (person: Person) => Promise<unknown>> = {
  'its token is revoked': ({ access_token: token }) => revokeAnyToken(harness.tributary.store, token),
  'its profile leaves': ({ access_token: token }) => harness.ask('DELETE', '/profiles/shop', token),
}

const newPerson = () => harness.connect(`person${(people += 1)}`)

async function open(path: string, { access_token: token }: Person, headers: Record<string, string> = {}) {
  return fetch(`${harness.tributary.url}${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } })
}

/** The call as the shop sees it, once it is there. */
async function heldCall(path: string): Promise<ServerResponse> {
  const found = await until(`the shop is asked for ${path}`, () => held.find((each) => each.path === path))
  return found.response
}

for (const [name, end] of Object.entries(WAYS)) {
  suite(`when ${name}`, { timeout: 180_000 }, () => {
    test('whoever follows a sync hears no more, and no false end', async () => {
      const person = await newPerson()
      const reply = await open('/profiles/shop/sync', person, { accept: 'text/event-stream' })
      const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader()
      let text = (await reader.read()).value ?? ''
      assert.match(text, /event: progress/)
      await end(person)
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) text += piece.value
      assert.doesNotMatch(text, /event: done/)
    })

    test('a proxied body under way is cut, here and at the service', async () => {
      const person = await newPerson()
      const reply = await open('/proxy/shop/endless', person)
      const service = await heldCall('/endless')
      const closed = once(service, 'close')
      const reader = reply.body!.getReader()
      assert.equal(Buffer.from((await reader.read()).value ?? []).toString(), 'the beginning')
      await end(person)
      await assert.rejects(reader.read())
      await closed
    })

    test('a proxied call that the service has not answered is refused', async () => {
      const person = await newPerson()
      const asked = open('/proxy/shop/silent', person)
      const closed = once(await heldCall('/silent'), 'close')
      await end(person)
      const reply = await asked
      assert.deepEqual([reply.status, ((await reply.json()) as { reason: string }).reason], [401, 'token_invalid'])
      await closed
    })
  })
}

test('a sync under way leaves the service when its profile leaves', { timeout: 180_000 }, async () => {
  const person = await newPerson()
  const service = await heldCall('/orders')
  const closed = once(service, 'close')
  await harness.ask('DELETE', '/profiles/shop', person.access_token)
  await closed
})
