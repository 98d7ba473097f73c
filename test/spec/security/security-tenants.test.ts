import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { ROUTES } from '#http/routes.ts'
import type { Route } from '#http/server/route.ts'
import { basic } from '../../harness/app.ts'
import type { LabApp, LabHarness } from '../../harness/lab.ts'
import { newOperator, type SignedIn } from '../../harness/operator.ts'
import { get, type Reply, send } from '../../harness/send.ts'
import { type Granted, newCode, REDIRECT, redeem, signIn } from '../../harness/sign-in.ts'
import { nativeId, startQuietHarness, tokensFor, withoutRequestId } from '../sign-in/fixture.ts'

let harness: LabHarness
let other: LabApp
/** Accounts: the caller's, another one of the same app, one of another app, and a deleted one. */
let own: Granted
let neighbour: Granted
let foreign: Granted
let deleted: Granted
/** Of the caller's app. */
let developer: SignedIn

before(async () => {
  harness = await startQuietHarness()
  other = await harness.makeApp()
  own = await signIn(harness, 'demo-social', 'ada')
  neighbour = await signIn(harness, 'demo-social', 'ben')
  foreign = await signIn(harness, 'demo-social', 'chloe', {}, other)
  deleted = await signIn(harness, 'demo-social', 'esra')
  await send(harness, 'DELETE', '/profiles', { token: deleted.access_token })
  developer = await newOperator(harness.tributary, { role: 'developer', apps: [harness.app.clientId] })
})
after(() => harness.stop())

const nameOf = (person: string) => `${nativeId(harness, 'demo-social', person)}@demo-social`

/** All refused with this status, and indistinguishable. */
function assertAlike(responses: Reply[], status: number): void {
  for (const response of responses) assert.equal(response.status, status)
  assert.equal(new Set(responses.map(withoutRequestId)).size, 1, responses.map(({ text }) => text).join('\n'))
  const headers = ({ headers }: Reply) => [...headers.keys()].join()
  assert.equal(new Set(responses.map(headers)).size, 1)
}

const untouched = async () => {
  for (const { access_token: token, account } of [own, neighbour, foreign]) {
    const { body } = await get(harness, '/profiles', token)
    assert.equal(body['id'], account)
    assert.equal((body['demo-social'] as unknown[]).length, 1)
  }
}

suite('S22 what belongs to others is indistinguishable from what does not exist', () => {
  const strangers = () => [
    nameOf('ben'),
    nameOf('chloe'),
    nameOf('esra'),
    nameOf('finn'),
    '12345@demo-social',
    'nowhere',
    'demo-micro',
  ]

  for (const method of ['GET', 'DELETE'] as const) {
    test(`${method} /profiles/:id`, async () => {
      const responses: Reply[] = []
      for (const name of strangers())
        responses.push(await send(harness, method, `/profiles/${name}`, { token: own.access_token }))
      assertAlike(responses, 404)
      await untouched()
    })
  }

  test('the account parameter of apply', async () => {
    const { token } = await tokensFor(harness, 'demo-social', 'ada')
    const apply = (account: string) =>
      send(harness, 'POST', '/auth/demo-social/apply', { form: { token, account }, headers: basic(harness.app) })
    const random = `${own.account.slice(0, 2)}${'0'.repeat(26)}`
    const responses: Reply[] = []
    for (const account of [foreign.account, deleted.account, random, 'nonsense', own.account.toUpperCase()])
      responses.push(await apply(account))
    assertAlike(responses, 404)
    assert.equal((await apply(own.account)).status, 200, "the app's own accounts are its to choose")
    await untouched()
  })

  test('tokens: revoked, deleted, mistyped, unknown', async () => {
    const revoked = await signIn(harness, 'demo-social', 'ada')
    await send(harness, 'POST', '/oauth/revoke', { form: { token: revoked.access_token }, headers: basic(harness.app) })
    const tokens = [revoked.access_token, deleted.access_token, `${own.access_token}x`, 'nonsense', 'x'.repeat(300)]
    for (const [method, path] of [
      ['GET', '/profiles'],
      ['GET', '/profile'],
      ['GET', '/profiles/demo-social'],
      ['DELETE', '/profiles/demo-social'],
      ['DELETE', '/profiles'],
    ] as const) {
      const responses: Reply[] = []
      for (const token of tokens) responses.push(await send(harness, method, path, { token }))
      assertAlike(responses, 401)
    }
  })

  test('codes: of another app, used, unknown', async () => {
    const [foreignCode, used] = [
      await newCode(harness, 'demo-social', 'chloe', {}, other),
      await newCode(harness, 'demo-social', 'ada'),
    ]
    await redeem(harness, used)
    const responses: Reply[] = []
    for (const code of [foreignCode, used, `trc_${'0'.repeat(54)}`, 'nonsense'])
      responses.push(
        await send(harness, 'POST', '/oauth/access_token', { form: { code }, headers: basic(harness.app) }),
      )
    assertAlike(responses, 400)
    assert.equal((await redeem(harness, foreignCode, {}, other)).status, 200, 'it still belongs to its app')
  })

  test('revocation: the response is the same for every token, and only own tokens are revoked', async () => {
    const revoked = await signIn(harness, 'demo-social', 'ada')
    const responses: Reply[] = []
    for (const token of [foreign.access_token, deleted.access_token, 'nonsense', revoked.access_token])
      responses.push(await send(harness, 'POST', '/oauth/revoke', { form: { token }, headers: basic(harness.app) }))
    assertAlike(responses, 200)
    assert.equal((await get(harness, '/profiles', revoked.access_token)).status, 401)
    await untouched()
  })

  test('tokens of services: another app’s secret returns nothing', async () => {
    const request = (token: string, by: LabApp) =>
      send(harness, 'GET', '/profiles', { query: { auth: 'true', access_token: token }, headers: basic(by) })
    assertAlike([await request(own.access_token, other), await request(foreign.access_token, harness.app)], 401)
    assert.equal((await request(foreign.access_token, other)).status, 200)
  })

  test('a link with another app’s token joins nothing and gets the same error as an unknown one', async () => {
    const locations = new Set<string | null>()
    for (const token of [foreign.access_token, deleted.access_token, 'nonsense']) {
      const url = harness.startUrl('demo-social', { access_token: token }).slice(harness.tributary.url.length)
      locations.add((await send(harness, 'GET', url)).headers.get('location'))
    }
    assert.equal(locations.size, 1)
  })
})

/** Every place of a request in which an account is named. Accounts in the header `Tributary-Account` are in roles.test.ts. */
const PLACES = ROUTES.flatMap(([method, path, route]) =>
  (['path', 'query', 'body'] as const).flatMap((part) => {
    const name = part === 'path' && path.startsWith('/accounts/:id') ? 'id' : 'account'
    return Object.hasOwn(shapeOf(route[part]), name) ? [{ method, path, part, name, auth: route.auth }] : []
  }),
)
type Place = (typeof PLACES)[number]

function shapeOf(schema: Route['body']): object {
  return schema !== undefined && 'shape' in schema ? (schema.shape as object) : {}
}

/** Names the account in that place, in a request that is right otherwise. `profile` is one of the account. */
async function nameAccount(
  { method, path, part, name, auth }: Place,
  account: string,
  profile: string,
): Promise<Reply> {
  const filled = path
    .replace(part === 'path' ? `:${name}` : '(none)', account)
    .replace(':profile', encodeURIComponent(profile))
    .replace(':service', 'demo-social')
    .replace(':client_id', harness.app.clientId)
    .replace(':ticket', 'x')
    .replace(':token_id', path.includes(':token_id') ? await newTokenOf(account) : '')
  const fields: Record<string, string> = {
    ...(path.includes('/apply') ? { token: (await tokensFor(harness, 'demo-social', 'ada')).token } : {}),
    ...(path === '/connect/sessions' ? { redirect_uri: REDIRECT } : {}),
    ...(path.endsWith('/proxy-tokens') ? { service: 'demo-social' } : {}),
  }
  const inBody = { ...fields, ...(part === 'body' ? { [name]: account } : {}) }
  return send(harness, method, filled, {
    headers: auth === 'app' || auth === 'none' ? basic(harness.app) : developer.headers,
    query: part === 'query' ? { ...(method === 'GET' ? fields : {}), [name]: account } : {},
    ...(method === 'GET' || method === 'DELETE' ? {} : { json: inBody }),
  })
}

/** The id of a new token for one service; of an account that the app does not have, one that nothing has. */
async function newTokenOf(account: string): Promise<string> {
  const given = { headers: basic(harness.app), json: { service: 'demo-social' } }
  const { body } = await send(harness, 'POST', `/accounts/${account}/proxy-tokens`, given)
  return typeof body['id'] === 'string' ? body['id'] : 'x'
}

suite('S22 the id of an account', () => {
  test('is in the places that the list of routes names', () => {
    const app = PLACES.filter(({ auth }) => auth === 'app' || auth === 'none')
    assert.equal(app.length >= 12 && PLACES.length > app.length, true, JSON.stringify(PLACES))
    assert.ok(
      ROUTES.every(([, path]) => !path.startsWith('/accounts/:') || PLACES.some((place) => place.path === path)),
    )
  })

  for (const place of PLACES) {
    const { method, path, part, name, auth } = place
    const byApp = auth === 'app' || auth === 'none'
    test(`${method} ${path}, ${part} ${name}: only one of the own app is found`, async () => {
      const strangers = [
        [foreign.account, nameOf('chloe')],
        [`${own.account.slice(0, 2)}${'0'.repeat(26)}`, nameOf('chloe')],
        ['nonsense', nameOf('chloe')],
        // Erasing one again says that it is erased, and its developers still see what was recorded.
        ...(method === 'DELETE' || !byApp ? [] : [[deleted.account, nameOf('esra')]]),
      ] as const
      const responses: Reply[] = []
      for (const [account, profile] of strangers) {
        const response = await nameAccount(place, account, profile)
        // What the caller sent may be repeated.
        responses.push({ ...response, text: response.text.replaceAll(account, '') })
      }
      assertAlike(responses, byApp || auth === 'dashboard' ? 404 : responses[0]!.status)
      await untouched()
      if (auth === 'browser') return
      const victim = method === 'DELETE' ? await signIn(harness, 'demo-social', 'finn') : own
      const found = await nameAccount(place, victim.account, nameOf('ada'))
      assert.ok(found.status < 300, `the same request with an own account: ${found.status} ${found.text}`)
    })
  }
})
