import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { connectors } from '#connectors/index.ts'
import type { FoundService } from '../../../sdk/src/index.ts'
import { createClient } from '../../../sdk/src/index.ts'
import { ENTRIES } from '../../catalogue/entries.ts'
import { type App, makeApp } from '../../harness/app.ts'
import { send } from '../../harness/send.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

let tributary: Tributary
let app: App
before(async () => {
  tributary = await startTributary()
  app = await makeApp(tributary, { keys: { asana: { key: 'k', secret: 's' }, github: { key: 'k', secret: 's' } } })
})
after(() => tributary.stop())

const ask = (query: string, headers: Record<string, string> = {}) =>
  send({ tributary }, 'GET', `/services${query}`, { headers })
const found = async (query: string): Promise<FoundService[]> => {
  const { status, text } = await ask(query)
  assert.equal(status, 200, text)
  return JSON.parse(text) as FoundService[]
}
const names = async (query: string) => (await found(query)).map(({ service }) => service)
const refusal = async (query: string) => {
  const { status, body } = await ask(query)
  return [status, body['reason'], body['param']]
}

suite('GET /services', () => {
  test('without parameters describes what syncs, and with an app what it has keys for', async () => {
    const plain = (await ask('')).body
    assert.deepEqual(Object.keys(plain).sort(), connectors.map(({ service }) => service).sort())
    const own = (await ask(`?client_id=${app.clientId}`)).body
    assert.deepEqual(Object.keys(own).sort(), [...Object.keys(plain), 'asana'].sort())
  })

  test('with `names` describes these, of the catalogue too, and leaves out what is unknown', async () => {
    const { body } = await ask(`?names=asana,GitHub,github,nothing&client_id=${app.clientId}`)
    assert.deepEqual(Object.keys(body), ['asana', 'github'])
    const asana = body['asana'] as Record<string, unknown>
    assert.equal(asana['has_keys'], true)
    assert.equal(asana['category'], ENTRIES.get('asana')?.category)
    assert.deepEqual(asana['endpoints'], {})
    assert.match(JSON.stringify(asana['addresses']), /\/auth\/asana\/callback/)
    assert.deepEqual(await refusal(`?names=${Array.from({ length: 51 }, (_, i) => `s${i}`).join(',')}`), [
      400,
      'bad_parameter',
      'names',
    ])
    assert.deepEqual(await refusal('?names=asana&q=asana'), [400, 'bad_parameter', 'names'])
  })

  test('finds services by words and beginnings of words, connectors and catalogue alike', async () => {
    assert.equal((await names('?q=asana'))[0], 'asana')
    assert.equal((await names('?q=GITH'))[0], 'github')
    assert.deepEqual(await names('?q=no%20such%20thing'), [])
    const [github] = await found('?q=github')
    assert.deepEqual(github, {
      service: 'github',
      title: 'GitHub',
      docs: connectors.find(({ service }) => service === 'github')?.docs,
      aliases: [],
      auth: 'oauth2',
      category: 'development',
      synced: true,
      needs_keys: true,
    })
    const [asana] = await found('?q=asana')
    assert.deepEqual([asana?.synced, asana?.certainty], [false, ENTRIES.get('asana')?.certainty])
  })

  test('is filtered by category, sign-in, whether it syncs, and whether the app offers it', async () => {
    const music = await found('?category=music&limit=1000')
    assert.ok(music.length > 1 && music.every(({ category }) => category === 'music'))
    const keys = await found('?auth=api_key&limit=1000')
    assert.ok(keys.length > 1 && keys.every(({ auth, needs_keys }) => auth === 'api_key' && !needs_keys))
    assert.equal((await found('?synced=true&limit=1000')).length, connectors.length)
    assert.equal((await found('?synced=no&limit=1000')).length, ENTRIES.size)
    assert.deepEqual(await names(`?offered=true&client_id=${app.clientId}`), ['asana', 'github'])
    const rest = await found(`?offered=false&limit=1000&client_id=${app.clientId}`)
    assert.equal(rest.length, connectors.length + ENTRIES.size - 2)
    assert.ok(rest.every(({ offered, has_keys }) => offered === false && has_keys === false))
    assert.deepEqual(await refusal('?offered=true'), [400, 'bad_parameter', 'offered'])
    assert.deepEqual(await refusal('?category=nothing'), [400, 'bad_parameter', 'category'])
  })

  test('comes a page at a time; a service that is added or removed moves none to another page', async () => {
    const all = await names('?limit=1000')
    assert.equal(all.length, connectors.length + ENTRIES.size)
    const client = createClient({ baseUrl: tributary.url, clientId: app.clientId })
    const paged: string[] = []
    for await (const page of client.findServices({ limit: 60 }).pages()) {
      assert.equal(page.total, all.length)
      assert.ok(page.items.every(({ offered }) => offered !== undefined))
      paged.push(...page.items.map(({ service }) => service))
    }
    assert.deepEqual(paged, all)
    const gone = Buffer.from(JSON.stringify([0, 'asana', 'asana-that-was'])).toString('base64url')
    assert.equal((await names(`?cursor=${gone}&limit=1`))[0], all[all.indexOf('asana') + 1])
    for (const cursor of ['x', Buffer.from('[1]').toString('base64url'), Buffer.from('{}').toString('base64url')])
      assert.deepEqual(await refusal(`?cursor=${cursor}`), [400, 'bad_parameter', 'cursor'])
    assert.deepEqual(await refusal('?limit=1001'), [400, 'bad_parameter', 'limit'])
  })

  test('is not sent again to a client that has it, until keys are set', async () => {
    const other = await makeApp(tributary)
    for (const query of [`?client_id=${other.clientId}`, `?q=asana&client_id=${other.clientId}`]) {
      const first = await ask(query)
      const etag = first.headers.get('etag') ?? ''
      assert.equal(first.headers.get('cache-control'), 'private, no-cache')
      const again = await ask(query, { 'if-none-match': etag })
      assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag])
    }
    const before = (await ask(`?q=asana&client_id=${other.clientId}`)).headers.get('etag') ?? ''
    const keys = { key: 'k', secret: 's' }
    await tributary.admin('PUT', `/admin/apps/${other.clientId}/keys/asana`, keys)
    const after = await ask(`?q=asana&client_id=${other.clientId}`, { 'if-none-match': before })
    assert.equal(after.status, 200)
    assert.match(after.text, /"has_keys":true,"offered":true/)
  })
})
