import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { TYPE_NAMES } from '#model/items/types.ts'
import type { ItemTypes } from '../../sdk/src/index.ts'
import { createAdmin, createClient } from '../../sdk/src/index.ts'
import { ROUTES } from '../../src/http/routes.ts'

const BASE = 'https://tributary.test'
let sent: string[] = []
const record: typeof fetch = (input, init) => {
  sent.push(`${init?.method} ${new URL(input).pathname}`)
  const type = new Headers(init?.headers).get('accept') ?? ''
  const isEvents = type.includes('event-stream')
  return Promise.resolve(
    new Response(isEvents ? 'event: done\ndata: {}\n\n' : '[]', { headers: { 'x-tributary-retried': 'false' } }),
  )
}
const client = createClient({ baseUrl: BASE, clientId: 'app', clientSecret: 's', fetch: record })
const ada = client.account('t')
const admin = createAdmin({ baseUrl: BASE, adminToken: 't', fetch: record })
const app = { name: 'n', redirect_uris: [] }
const key = { key: 'k', secret: 's' }

/** The call that leads to each route. Parameters have their name as their value, or that of `VALUES`. */
const METHODS: Record<string, () => unknown> = {
  'GET /openapi.json': () => client.server.openapi(),
  'GET /healthz': () => client.server.alive(),
  'GET /readyz': () => client.server.ready(),
  'GET /.well-known/oauth-authorization-server': () => client.server.metadata(),
  'POST /oauth/access_token': () => client.exchange({ code: 'c' }),
  'POST /oauth/revoke': () => ada.revoke(),
  'POST /connect/sessions': () => client.connectSessions.create({ redirect_uri: 'r' }),
  'GET /connect/sessions/:id': () => client.connectSessions.get('id'),
  'DELETE /connect/sessions/:id': () => client.connectSessions.revoke('id'),
  'POST /auth/:service/apply': () => client.apply('service', { token: 't' }),
  'POST /auth/apply/batch': () => client.applyBatch([]),
  'POST /auth/merge': () => client.merge({ source: 'a', dest: 'b' }),
  'GET /profile': () => ada.person(),
  'GET /profiles': () => ada.profiles.list(),
  'DELETE /profiles': () => ada.profiles.removeAll(),
  'GET /profiles/:profile': () => ada.profiles.get('profile'),
  'DELETE /profiles/:profile': () => ada.profiles.remove('profile'),
  'GET /profiles/:profile/sync': () => ada.profiles.follow('profile').next(),
  'POST /profiles/:profile/sync': () => ada.profiles.sync('profile'),
  'POST /profiles/:profile/reset': () => ada.profiles.reset('profile'),
  'POST /profiles/:profile/pause': () => ada.profiles.pause('profile'),
  'POST /profiles/:profile/resume': () => ada.profiles.resume('profile'),
  'POST /profiles/:profile/reconnect': () => ada.profiles.reconnect('profile'),
  'GET /sync': () => ada.sync.get(),
  'POST /uploads/:service': () => ada.uploads.add('service', 'BEGIN:VCALENDAR'),
  'GET /export': () => ada.export().next(),
  'POST /connections/sessions': () => client.accounts.connectionsLink('a'),
  'POST /connections/link': () => ada.connectionsLink(),
  'GET /agents': () => ada.agents.list(),
  'DELETE /agents/:id': () => ada.agents.remove('id'),
  'DELETE /accounts/:id': () => client.accounts.erase('id'),
  'GET /accounts/:id/export': () => client.accounts.export('id').next(),
  'GET /accounts/changes': () => client.changes.read().next(),
  'DELETE /accounts/changes': () => client.changes.end(),
  'GET /accounts': () => client.accounts.list().first(),
  'GET /accounts/:id': () => client.accounts.get('id'),
  'POST /accounts/:id/profiles/:profile/reconnect': () => client.accounts.reconnect('id', 'profile'),
  'POST /accounts/:id/profiles/:profile/pause': () => client.accounts.pause('id', 'profile'),
  'POST /accounts/:id/profiles/:profile/resume': () => client.accounts.resume('id', 'profile'),
  'GET /usage': () => client.usage(),
  'GET /spending': () => client.spending.get(),
  'PATCH /spending': () => client.spending.change({}),
  'GET /services': () => client.findServices({ q: 'words' }).first(),
  'GET /services/:service': () => ada.endpoints.counts('service'),
  'GET /services/:service/:endpoint': () => ada.endpoints.items('service', 'endpoint').first(),
  'GET /services/:service/:endpoint/:id': () => ada.endpoints.item('service', 'endpoint', 'id'),
  'GET /services/self/:endpoint': () => ada.own.items('endpoint').first(),
  'POST /services/self/:endpoint': () => ada.own.store('endpoint', []),
  'GET /services/self/:endpoint/:id': () => ada.own.item('endpoint', 'id'),
  'DELETE /services/self/:endpoint/:id': () => ada.own.remove('endpoint', 'id'),
  'GET /types': () => ada.counts(),
  'GET /types/:type': () => ada.items('photos').first(),
  'GET /id/:id': () => ada.item('id'),
  'GET /proxy-tokens': () => ada.proxyTokens.list(),
  'POST /proxy-tokens': () => ada.proxyTokens.create({ service: 'service' }),
  'DELETE /proxy-tokens/:id': () => ada.proxyTokens.revoke('id'),
  'GET /accounts/:id/proxy-tokens': () => client.proxyTokens.list('id'),
  'POST /accounts/:id/proxy-tokens': () => client.proxyTokens.create('id', { service: 'service' }),
  'DELETE /accounts/:id/proxy-tokens/:token_id': () => client.proxyTokens.revoke('id', 'token_id'),
  'GET /people': () => ada.people.list().first(),
  'GET /people/:id': () => ada.people.get('id'),
  'GET /people/:id/items': () => ada.people.items('id').first(),
  'POST /people/join': () => ada.people.join(['a', 'b']),
  'POST /people/:id/split': () => ada.people.split('id', ['a']),
  'GET /people/decisions': () => ada.people.decisions.list(),
  'DELETE /people/decisions/:id': () => ada.people.decisions.undo('id'),
  'GET /changes': () => ada.changes().next(),
  'GET /push': () => client.push.list(),
  'POST /push': () => client.push.add({ name: 'n', kind: 'webhook', url: 'https://a.test/' }),
  'GET /push/kinds': () => client.push.kinds(),
  'GET /push/rights': () => client.push.rights({ kind: 'postgres' }),
  'POST /push/test': () => client.push.testDraft({ kind: 'webhook', url: 'https://a.test/' }),
  'POST /push/preview': () => client.push.preview({ kind: 'webhook' }),
  'GET /push/:id': () => client.push.get('id'),
  'PATCH /push/:id': () => client.push.change('id', {}),
  'DELETE /push/:id': () => client.push.remove('id'),
  'POST /push/:id/pause': () => client.push.pause('id'),
  'POST /push/:id/resume': () => client.push.resume('id'),
  'POST /push/:id/test': () => client.push.test('id'),
  'POST /push/:id/run': () => client.push.run('id'),
  'POST /push/:id/backfill': () => client.push.backfill('id'),
  'POST /push/:id/replay': () => client.push.replay('id'),
  'POST /push/:id/redrive': () => client.push.redrive('id'),
  'POST /push/:id/verify': () => client.push.verify('id'),
  'POST /push/:id/rotate-secret': () => client.push.rotateSecret('id'),
  'GET /push/:id/deliveries': () => client.push.deliveries('id').first(),
  'GET /push/:id/dead-letters': () => client.push.deadLetters('id'),
  'GET /push/:id/dead-letters/reasons': () => client.push.deadLetterReasons('id'),
  'GET /push/:id/history': () => client.push.history('id'),
  'GET /proxy/:service/:path': () => ada.proxy('service')('path'),
  'POST /proxy/:service/:path': () => ada.proxy('service')('/path', { method: 'POST', body: 'x' }),
  'PUT /proxy/:service/:path': () => ada.proxy('service')('path', { method: 'PUT' }),
  'PATCH /proxy/:service/:path': () => ada.proxy('service')('path', { method: 'PATCH' }),
  'DELETE /proxy/:service/:path': () => ada.proxy('service')('path', { method: 'DELETE' }),
  'GET /admin/overview': () => admin.overview(),
  'GET /admin/apps/:client_id/overview': () => admin.overview('client_id'),
  'GET /admin/apps': () => admin.apps.list(),
  'POST /admin/apps': () => admin.apps.create(app),
  'GET /admin/operators': () => admin.operators.list(),
  'POST /admin/operators': () => admin.operators.add({ role: 'operator' }),
  'GET /admin/operators/links': () => admin.operators.links(),
  'DELETE /admin/operators/links/:id': () => admin.operators.revokeLink('id'),
  'PATCH /admin/operators/:id': () => admin.operators.change('id', {}),
  'DELETE /admin/operators/:id': () => admin.operators.remove('id'),
  'POST /admin/operators/:id/link': () => admin.operators.link('id'),
  'DELETE /admin/operators/:id/sessions': () => admin.operators.endSessions('id'),
  'GET /admin/sessions': () => admin.sessions.list(),
  'DELETE /admin/sessions/:id': () => admin.sessions.end('id'),
  'GET /admin/audit': () => admin.audit().first(),
  'GET /admin/settings': () => admin.settings(),
  'GET /admin/apps/:client_id': () => admin.apps.get('client_id'),
  'PATCH /admin/apps/:client_id': () => admin.apps.change('client_id', {}),
  'DELETE /admin/apps/:client_id': () => admin.apps.remove('client_id'),
  'GET /admin/deletions': () => admin.apps.deletions(),
  'POST /admin/apps/:client_id/rotate-secret': () => admin.apps.rotateSecret('client_id'),
  'GET /admin/apps/:client_id/sync': () => admin.rules.get('client_id'),
  'PUT /admin/apps/:client_id/sync': () => admin.rules.set('client_id', {}),
  'GET /admin/apps/:client_id/parked': () => admin.apps.parked('client_id'),
  'GET /admin/apps/:client_id/hooks': () => admin.apps.hooks('client_id'),
  'GET /admin/apps/:client_id/faults': () => admin.apps.faults('client_id').first(),
  'GET /admin/apps/:client_id/quarantine': () => admin.apps.quarantine('client_id').first(),
  'POST /admin/apps/:client_id/quarantine/retry': () => admin.apps.retryQuarantine('client_id'),
  'GET /admin/apps/:client_id/quotas': () => admin.quotas.get('client_id'),
  'PUT /admin/apps/:client_id/quotas': () => admin.quotas.set('client_id', {}),
  'GET /admin/apps/:client_id/usage': () => admin.apps.usage('client_id'),
  'GET /admin/apps/:client_id/spending': () => admin.spending.get('client_id'),
  'PATCH /admin/apps/:client_id/spending': () => admin.spending.change('client_id', {}),
  'GET /admin/apps/:client_id/calls': () => admin.apps.calls('client_id').first(),
  'GET /admin/apps/:client_id/log': () => admin.apps.log('client_id').first(),
  'GET /admin/apps/:client_id/log/:id': () => admin.apps.inspect('client_id', 'id'),
  'DELETE /admin/apps/:client_id/secrets/:id': () => admin.apps.endSecret('client_id', 'id'),
  'POST /admin/apps/:client_id/keys/:service/test': () => admin.keys.test('client_id', 'service'),
  'GET /admin/apps/:client_id/keys': () => admin.keys.list('client_id'),
  'POST /admin/apps/:client_id/demo-services': () => admin.keys.useDemoServices('client_id'),
  'PUT /admin/apps/:client_id/keys/:service': () => admin.keys.set('client_id', 'service', key),
  'DELETE /admin/apps/:client_id/keys/:service': () => admin.keys.remove('client_id', 'service'),
}

/** Parameters that have few values, and the one that the calls above use. */
const VALUES: Record<string, string> = { type: 'photos' }

function addressOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => VALUES[name] ?? name)
}

/** Routes without a method, with the reason. Routes with the auth `browser` are for people. */
const WITHOUT_METHOD: [route: RegExp, reason: string][] = [
  [/^GET \/(?:docs|llms)\b/, 'documents, for people and agents'],
  [/^\w+ \/(?:mcp|oauth\/agents\/.+|\.well-known\/.+\/mcp)$/, 'for agents, which have their own clients'],
  [/^GET \/oauth\/clients\//, 'for services that identify apps by it'],
  [/^GET \/auth\/(?::service\/apply|merge)$/, 'puts secrets into addresses; the methods use POST'],
  [/^\w+ \/hooks\//, 'for services'],
  [/^GET \/apps\/:client_id\/logo\//, 'a picture, for browsers'],
  [/^\w+ \/dashboard\//, 'for the dashboard in a browser, with a cookie'],
]

suite('the routes of the SDK', () => {
  for (const [method, path, { auth }] of ROUTES) {
    const name = `${method} ${path}`
    if (auth === 'browser' || WITHOUT_METHOD.some(([route]) => route.test(name))) continue
    test(`${name} has a method`, async () => {
      const called = METHODS[name]
      assert.ok(called, 'add a method to sdk/src and its call here')
      // A list of its own, because a reporter prints it after the next test has begun.
      sent = []
      await called()
      assert.deepEqual(sent, [`${method} ${addressOf(path)}`])
    })
  }

  test('no method leads to a route that does not exist', () => {
    const names = ROUTES.map(([method, path]) => `${method} ${path}`)
    assert.deepEqual(
      Object.keys(METHODS).filter((name) => !names.includes(name)),
      [],
    )
  })

  test('the pages that begin a sign-in are addresses', () => {
    const parameters = { redirect_uri: 'https://a.test/back', state: 's' }
    const query = '?client_id=app&redirect_uri=https%3A%2F%2Fa.test%2Fback&state=s'
    assert.equal(client.connectUrl(parameters), `${BASE}/connect${query}`)
    const service = { ...parameters, service: 'github' }
    assert.equal(client.connectUrl(service), `${BASE}/oauth/authenticate${query}&service=github`)
  })

  test('the types of items are those of the server', () => {
    const shapes: Record<keyof ItemTypes, true> = {
      photos: true,
      videos: true,
      statuses: true,
      news: true,
      checkins: true,
      events: true,
      messages: true,
      files: true,
      tracks: true,
      activities: true,
      measures: true,
      contacts: true,
      photos_feed: true,
      videos_feed: true,
      statuses_feed: true,
      news_feed: true,
      checkins_feed: true,
      all: true,
      all_feed: true,
    }
    assert.deepEqual(Object.keys(shapes).toSorted(), [...TYPE_NAMES].toSorted())
  })
})
