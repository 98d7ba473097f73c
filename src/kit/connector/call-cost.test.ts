import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiKey } from '../auth/auth.ts'
import { self } from '../auth/self.ts'
import { endpoint } from '../endpoints/endpoint.ts'
import { kind } from '../read/kind.ts'
import { costOfEndpoint, costOfPath } from './call-cost.ts'
import { defineConnector } from './connector.ts'

const listed = (path: string, more: { weight?: number; group?: string; method?: 'POST' } = {}) =>
  endpoint<unknown, { id: string }>({
    path,
    items: () => [],
    kind: kind<{ id: string }>({ name: 'thing', id: ({ id }) => id, map: {} }),
    types: [],
    every: '1h',
    class: 'core',
    ...more,
  })

const connector = defineConnector({
  service: 'videos',
  title: 'Videos',
  docs: 'https://docs.test/',
  auth: apiKey({ in: 'header', scheme: 'Bearer' }),
  api: { baseUrl: 'https://api.test', group: (path) => path.split('/')[1] },
  self: self<{ id: string }>('/me', ({ id }) => ({ id })),
  endpoints: {
    search: listed('/search', { weight: 100 }),
    mine: listed('/users/{id}/videos', { group: 'videos' }),
    send: listed('/send', { method: 'POST', weight: 50 }),
  },
})

test('an endpoint has its own weight and group, or the group of its path', () => {
  const { search, mine, send } = connector.endpoints
  assert.deepEqual(costOfEndpoint(connector, search!), { weight: 100, group: 'search', isRead: true })
  assert.deepEqual(costOfEndpoint(connector, mine!), { weight: 1, group: 'videos', isRead: true })
  assert.deepEqual(costOfEndpoint(connector, send!), { weight: 50, group: 'send', isRead: false })
})

test('another call costs what the endpoint at its path costs', () => {
  assert.deepEqual(costOfPath(connector, 'GET', '/search'), { weight: 100, group: 'search', isRead: true })
  assert.deepEqual(costOfPath(connector, 'GET', '/users/7/videos'), { weight: 1, group: 'videos', isRead: true })
  assert.deepEqual(costOfPath(connector, 'POST', '/search'), { weight: 1, group: 'search', isRead: false })
})

test('a caller cannot invent groups', () => {
  assert.equal(costOfPath(connector, 'GET', '/anything/else').group, undefined)
  assert.equal(costOfPath(connector, 'GET', '').group, undefined)
})
