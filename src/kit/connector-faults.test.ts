import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oauth2 } from './auth.ts'
import { defineConnector } from './connector.ts'
import { definitionFaults } from './connector-faults.ts'
import { self } from './self.ts'

const connector = (auth: Parameters<typeof oauth2>[0]) =>
  defineConnector({
    service: 'example',
    title: 'Example',
    docs: 'https://example.com/',
    auth: oauth2(auth),
    api: { baseUrl: 'https://{host}/api' },
    self: self<{ id: string }>('/me', ({ id }) => ({ id })),
    ask: { host: { title: 'Server', example: 'example.com', kind: 'host' } },
  })

test('an address with a user name or a password is refused, and its field named', () => {
  const withUser = 'https://ada:secret@service.example/x'
  const addresses = { authorizeUrl: withUser, tokenUrl: withUser, refreshUrl: withUser, revokeUrl: withUser }
  const definition = { ...connector(addresses), api: { baseUrl: 'https://:secret@{host}/api' } }
  assert.deepEqual(
    definitionFaults(definition).filter(({ expected }) => expected === 'must not contain a user name or a password'),
    ['auth.authorizeUrl', 'auth.tokenUrl', 'auth.refreshUrl', 'auth.revokeUrl', 'api.baseUrl'].map((field) => ({
      field,
      expected: 'must not contain a user name or a password',
    })),
  )
})

test('a server that a handle names never gets the secret of the app', () => {
  const home = {
    document: () => undefined,
    read: () => undefined,
    apiPath: '',
    handle: { document: () => 'https://example.com/', read: () => undefined },
  }
  const faultsOf = (tokenAuth: 'post' | 'none' | 'private_key_jwt') =>
    definitionFaults({
      ...connector({ authorizeUrl: 'https://{host}/authorize', tokenUrl: 'https://{host}/token', tokenAuth }),
      auth: { kind: 'oauth2', authorizeUrl: 'https://{host}/a', tokenUrl: 'https://{host}/t', tokenAuth, home },
    }).map(({ field }) => field)
  assert.deepEqual(faultsOf('post'), ['auth.tokenAuth'])
  assert.deepEqual([faultsOf('none'), faultsOf('private_key_jwt')], [[], []])
})
