import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type App, makeApp } from '../../harness/app.ts'
import { newOperator, type SignedIn } from '../../harness/operator.ts'
import { putItems } from '../../harness/own-items.ts'
import { newPerson, type Person } from '../../harness/person.ts'
import { send } from '../../harness/send.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { until } from '../../harness/until.ts'

let tributary: Tributary
let app: App
let person: Person
before(async () => {
  tributary = await startTributary()
  app = await makeApp(tributary)
  person = await newPerson(tributary.store, app.clientId)
})
after(() => tributary.stop())

/** Follows the changes of an app as an operator; `ended` resolves when the server ends the stream. */
async function followChanges({ headers }: SignedIn) {
  const stop = new AbortController()
  const response = await fetch(`${tributary.url}/accounts/changes`, {
    headers: { ...headers, 'tributary-app': app.clientId, accept: 'text/event-stream' },
    signal: stop.signal,
  })
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let received = (await reader.read()).value ?? ''
  const ended = (async () => {
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) received += part.value
    } catch {
      // A connection that is cut ends the stream as one that is closed does.
    }
  })()
  return { ended, received: () => received, stop: () => stop.abort() }
}

const ENDINGS: [what: string, end: (who: SignedIn) => Promise<{ status: number }>][] = [
  ['signs out', ({ headers }) => send({ tributary }, 'DELETE', '/dashboard/session', { headers })],
  ['is signed out by an operator', ({ id }) => tributary.admin('DELETE', `/admin/operators/${id}/sessions`)],
  ['is removed', ({ id }) => tributary.admin('DELETE', `/admin/operators/${id}`)],
  ['may no longer use the app', ({ id }) => tributary.admin('PATCH', `/admin/operators/${id}`, { apps: [] })],
]

suite('S79 a stream that is open', () => {
  for (const [what, end] of ENDINGS)
    test(`ends when its developer ${what}; that of another session goes on`, async () => {
      const rights = { role: 'developer' as const, apps: [app.clientId] }
      const [leaving, staying] = [await newOperator(tributary, rights), await newOperator(tributary, rights)]
      const other = await followChanges(staying)
      const stream = await followChanges(leaving)
      assert.equal((await end(leaving)).status, 200)
      await stream.ended
      await putItems(tributary, person, [{ id: `note ${what}` }], 'notes')
      await until('the other stream receives the change', () => other.received().includes(`note ${what}`))
      assert.ok(!stream.received().includes(`note ${what}`))
      other.stop()
      await other.ended
    })
})
