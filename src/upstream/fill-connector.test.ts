import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { fillConnector } from './fill-connector.ts'

const connector = defineConnector({
  service: 'acme',
  title: 'Acme',
  docs: 'https://acme.example',
  ask: {
    site: { title: 'Site', example: 'acme', kind: 'text' },
    team: { title: 'Team', example: 'blue', kind: 'text', optional: true },
  },
  auth: oauth2({
    authorizeUrl: 'https://{site}.acme.example/authorize',
    tokenUrl: 'https://{site}.acme.example/token',
    parameters: { authorize: { team: '{team}', site: '{site}' } },
  }),
  api: { baseUrl: 'https://{site}.acme.example', headers: { 'x-team': '{team}' }, query: { site: '{site}' } },
  self: self('/me', { id: 'id' }),
})

test('what needs an answer that was left out is left out', () => {
  const without = fillConnector(connector, { site: 'north' })
  assert.deepEqual(without.auth.kind === 'oauth2' && without.auth.parameters.authorize, { site: 'north' })
  assert.deepEqual([without.api.headers, without.api.query], [{}, { site: 'north' }])
  const filled = fillConnector(connector, { site: 'north', team: 'red' })
  assert.deepEqual(filled.auth.kind === 'oauth2' && filled.auth.parameters.authorize, { team: 'red', site: 'north' })
  assert.deepEqual(filled.api.headers, { 'x-team': 'red' })
})
