import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { connectors } from '#connectors/index.ts'
import { makeApp } from '../../harness/app.ts'
import { send } from '../../harness/send.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

suite('small promises of the interface', () => {
  let tributary: Tributary
  before(async () => {
    tributary = await startTributary()
  })
  after(() => tributary.stop())

  test('the documentation of each service is an address that a client can open', async () => {
    const { body } = await send({ tributary }, 'GET', '/services')
    for (const { service, docs } of connectors) {
      const { docs: address } = body[service] as { docs: string }
      if (docs.startsWith('https://')) {
        assert.equal(address, docs)
        continue
      }
      assert.ok(address.startsWith(`${tributary.url}/docs/`), address)
      const page = await fetch(address)
      assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/markdown; charset=utf-8'])
      assert.match(await page.text(), /^# Demo/)
    }
  })

  test('a route without a body takes an empty one with the content type of JSON; a route with a body does not', async () => {
    const app = await makeApp(tributary)
    const headers = {
      authorization: `Basic ${btoa(`${app.clientId}:${app.secret}`)}`,
      'content-type': 'application/json',
    }
    const made = await fetch(`${tributary.url}/push`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'Hook', kind: 'webhook', url: 'https://public.invalid/hook', filter: ['*'] }),
    })
    const { id } = (await made.json()) as { id: string }
    assert.equal(made.status, 201)
    for (const path of [`/push/${id}/test`, `/push/${id}/run`]) {
      const { status } = await fetch(`${tributary.url}${path}`, { method: 'POST', headers, body: '' })
      assert.ok(status !== 400 && status < 500, `${path} ${status}`)
    }
    const empty = await fetch(`${tributary.url}/push`, { method: 'POST', headers, body: '' })
    assert.equal(empty.status, 400)
    assert.match(await empty.text(), /The body is empty, although its content type is JSON/)
  })
})
