import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type KeyStart, keyOf, OPERATOR } from '../api/keys.ts'
import {
  appChanged,
  appDeleted,
  destinationChanged,
  destinationsChanged,
  erased,
  keysChanged,
  operatorsChanged,
  passkeysChanged,
  profilesChanged,
  sessionsChanged,
  tried,
} from './changes.ts'

const [APP, OTHER] = ['app-1', 'app-2']
const [ACCOUNT, NEIGHBOUR] = ['account-1', 'account-2']

/** What pages have read, by what they show: of the app and of another one, of the account and of its neighbour. */
const SHOWN = {
  audit: keyOf('GET /admin/audit', OPERATOR, {}, { actor: 'admin' }),
  session: keyOf('GET /dashboard/session', OPERATOR),
  sessions: keyOf('GET /admin/sessions', OPERATOR),
  passkeys: keyOf('GET /dashboard/passkeys', OPERATOR),
  operators: keyOf('GET /admin/operators', OPERATOR),
  links: keyOf('GET /admin/operators/links', OPERATOR),
  apps: keyOf('GET /admin/apps', OPERATOR),
  overview: keyOf('GET /admin/overview', OPERATOR),
  'overview of the app': keyOf('GET /admin/apps/{client_id}/overview', OPERATOR, { client_id: APP }),
  app: keyOf('GET /admin/apps/{client_id}', OPERATOR, { client_id: APP }),
  'other app': keyOf('GET /admin/apps/{client_id}', OPERATOR, { client_id: OTHER }),
  keys: keyOf('GET /admin/apps/{client_id}/keys', OPERATOR, { client_id: APP }),
  services: keyOf('GET /services', APP),
  'services of the other app': keyOf('GET /services', OTHER),
  log: keyOf('GET /admin/apps/{client_id}/log', OPERATOR, { client_id: APP }, { kind: 'sync' }),
  quarantine: keyOf('GET /admin/apps/{client_id}/quarantine', OPERATOR, { client_id: APP }, { after: undefined }),
  accounts: keyOf('GET /accounts', APP, {}, { state: 'paused', count: 'true' }),
  'accounts to choose from': keyOf('GET /accounts', APP, {}, { limit: 20 }),
  'accounts of the other app': keyOf('GET /accounts', OTHER),
  account: keyOf('GET /accounts/{id}', APP, { id: ACCOUNT }),
  neighbour: keyOf('GET /accounts/{id}', APP, { id: NEIGHBOUR }),
  sync: keyOf('GET /profiles/{profile}/sync', ACCOUNT, { profile: 'p@github' }),
  'sync of the neighbour': keyOf('GET /profiles/{profile}/sync', NEIGHBOUR, { profile: 'q@github' }),
  agents: keyOf('GET /agents', ACCOUNT),
  items: keyOf('GET /types/{type}', ACCOUNT, { type: 'photos' }, { limit: '20' }),
  'items of the neighbour': keyOf('GET /types/{type}', NEIGHBOUR, { type: 'photos' }),
  destinations: keyOf('GET /push', APP),
  destination: keyOf('GET /push/{id}', APP, { id: 'd-1' }),
  'other destination': keyOf('GET /push/{id}', APP, { id: 'd-2' }),
  deliveries: keyOf('GET /push/{id}/deliveries', APP, { id: 'd-1' }, { limit: 50 }),
  'dead letters': keyOf('GET /push/{id}/dead-letters/reasons', APP, { id: 'd-1' }),
  history: keyOf('GET /push/{id}/history', APP, { id: 'd-1' }, { since: 1, step: 2 }),
  'kinds of destinations': keyOf('GET /push/kinds', APP),
  'API document': keyOf('GET /openapi.json', OPERATOR),
}

/** What is read again after a change: the queries whose keys begin so, as the library compares them. */
function readAgainAfter(changes: readonly KeyStart[]): string[] {
  const isStale = ([operation, who, path]: ReturnType<typeof keyOf>) =>
    changes.some(
      ([changed, whose = who, at = {}]) =>
        changed === operation &&
        whose === who &&
        Object.entries(at).every(([parameter, value]) => path[parameter] === value),
    )
  return Object.entries(SHOWN).flatMap(([name, key]) => (isStale(key) ? [name] : []))
}

suite('what is read again', () => {
  test('after a change of an app: the list, its page and the agents, not other apps', () => {
    assert.deepEqual(readAgainAfter(appChanged(APP)), ['audit', 'apps', 'app', 'agents'])
  })

  test('after the deletion of an app: also whose it was, and everything that it had', () => {
    const found = readAgainAfter(appDeleted(APP))
    for (const name of ['apps', 'app', 'overview', 'operators', 'accounts', 'account', 'destinations', 'destination'])
      assert.ok(found.includes(name), name)
    assert.ok(!found.includes('other app') && !found.includes('accounts of the other app'))
  })

  test('after a change of keys: which services can be connected, and the syncs that depend on them', () => {
    assert.deepEqual(readAgainAfter(keysChanged(APP)), [
      'audit',
      'overview',
      'overview of the app',
      'keys',
      'services',
      'accounts',
      'accounts to choose from',
      'account',
      'neighbour',
      'sync',
      'sync of the neighbour',
    ])
  })

  test('after a change of an operator, who may be oneself: one’s session and apps too', () => {
    assert.deepEqual(readAgainAfter(operatorsChanged), ['audit', 'session', 'sessions', 'operators', 'links', 'apps'])
    assert.deepEqual(readAgainAfter(sessionsChanged), ['audit', 'session', 'sessions', 'operators'])
    assert.deepEqual(readAgainAfter(passkeysChanged), ['audit', 'passkeys', 'operators'])
  })

  test('after a change of a destination: every tab of its page, the list and the overviews, not other destinations', () => {
    const lists = ['audit', 'overview', 'overview of the app', 'destinations']
    assert.deepEqual(readAgainAfter(destinationsChanged(APP)), lists)
    assert.deepEqual(readAgainAfter(destinationChanged(APP, 'd-1')), [
      'audit',
      'overview',
      'overview of the app',
      'log',
      'destinations',
      'destination',
      'deliveries',
      'dead letters',
      'history',
    ])
  })

  test('after a change of a profile: its account and items, and the lists that Back leads to', () => {
    const found = [
      'audit',
      'overview',
      'overview of the app',
      'log',
      'quarantine',
      'accounts',
      'accounts to choose from',
      'account',
      'sync',
      'agents',
      'items',
    ]
    assert.deepEqual(readAgainAfter(profilesChanged(APP, ACCOUNT)), found)
    assert.deepEqual(readAgainAfter(erased(APP, ACCOUNT)), [
      ...found,
      'destinations',
      'destination',
      'other destination',
    ])
  })

  test('after a test: the audit log alone', () => {
    assert.deepEqual(readAgainAfter(tried), ['audit'])
  })
})
