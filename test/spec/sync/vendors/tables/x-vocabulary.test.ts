import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { get } from '../../../../harness/send.ts'
import { connectorOf, startTables, type Tables } from './fixture.ts'

interface Shown {
  idr: string
  map: { author?: { handle?: string }; text?: string; image?: string }
}

/** A person with data, of which the newest is enough. */
const PERSON = 'dmitri'

suite('X in the vocabulary of its guides, and in that of its OpenAPI description', () => {
  let tables: Tables
  before(async () => {
    tables = await startTables()
  })
  after(() => tables.stop())

  const ENDPOINTS = ['tweets', 'likes', 'bookmarks', 'timeline', 'mentions', 'direct_messages']

  for (const vocabulary of ['older', 'newer', 'both'] as const)
    test(`${vocabulary}: every endpoint is read, with authors and texts`, async () => {
      const { configure, requests } = tables.lab.services.x
      configure({ vocabulary })
      const by = await tables.newApp(['x'])
      requests.clear()
      const token = await tables.signIn('x', { person: PERSON, by })
      const progress = await tables.everyEndpointRan('x', token)
      for (const name of Object.keys(connectorOf('x').endpoints))
        assert.deepEqual([name, progress[name]?.state, progress[name]?.last_error], [name, 'done', undefined])
      for (const name of ENDPOINTS) {
        const { text } = await get(tables, `/services/x/${name}?map=true&limit=100`, token)
        const items = JSON.parse(text) as Shown[]
        assert.ok(items.length > 0, name)
        for (const { idr, map } of items) assert.ok(map.text !== undefined && map.author?.handle !== undefined, idr)
      }
      const refused = requests.all.filter(({ status }) => status === 400).length
      assert.equal(refused, vocabulary === 'newer' ? ENDPOINTS.length : 0, 'one refusal for each walk')
    })
})
