import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiKey } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { createRegistry } from '#kit/connector/registry.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { kind } from '#kit/read/kind.ts'
import { createLog } from '#platform/telemetry/log.ts'
import type { FoundItem } from '#store/items/query.ts'
import { mapFaults } from './map-faults.ts'
import { createPresenter } from './present.ts'

interface Note {
  id: string
  title: string
  text?: string
}

const notes = endpoint<unknown, Note>({
  path: '/notes',
  items: () => [],
  kind: kind<Note>({
    name: 'note',
    id: ({ id }) => id,
    map: { title: ({ title }) => title, text: ({ text }) => text!.toUpperCase() },
  }),
  types: ['statuses'],
  every: '1h',
  class: 'core',
})
const connector = defineConnector({
  service: 'faulty',
  title: 'Faulty',
  docs: 'https://docs.test/',
  auth: apiKey({ in: 'header', scheme: 'Bearer' }),
  api: { baseUrl: 'https://api.test' },
  self: self<{ id: string }>('/me', ({ id }) => ({ id })),
  endpoints: { notes },
})

test('a map reader that throws on a stored record loses one field; it is counted, and told once', () => {
  const lines: string[] = []
  const log = createLog({ level: 'warn', format: 'json', clock: { now: () => 1 }, write: (line) => lines.push(line) })
  const readable = { shard: 1, profileId: 'p', service: 'faulty', owner: 'ada' }
  const present = createPresenter({ registry: createRegistry([connector]), log }, [readable], {
    oembed: false,
    map: true,
  })
  const item = (data: string): FoundItem => ({
    profileId: 'p',
    id: '0'.repeat(32),
    endpoint: 'notes',
    nativeId: '1',
    at: 1,
    updatedAt: 1,
    seq: 1,
    types: 4,
    guid: [],
    oembed: '{}',
    data,
  })
  const mapOf = (data: string) => (JSON.parse(present(item(data))) as { map: object }).map
  const rest = { id: '1', name: 't', at: 1, title: 't', author: null, oembed: {} }
  assert.deepEqual(mapOf('{"id":"1","title":"t","text":"a"}'), { ...rest, text: 'A' })
  assert.deepEqual(mapFaults(), [])
  for (let i = 0; i < 3; i += 1) assert.deepEqual(mapOf('{"id":"1","title":"t"}'), { ...rest, text: null })
  assert.deepEqual(mapFaults(), [{ service: 'faulty', endpoint: 'notes', field: 'map.text', n: 3 }])
  assert.equal(lines.length, 1)
  assert.match(lines[0]!, /"field":"map\.text".*toUpperCase/)
})
