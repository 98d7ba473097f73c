import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { isSharded } from '#store/cluster/is-sharded.ts'
import { basic } from '../../harness/app.ts'
import { newOperator } from '../../harness/operator.ts'
import { get, send } from '../../harness/send.ts'
import { signIn } from '../../harness/sign-in.ts'
import { agentTokens, allowAgents, callTool } from '../agents/fixture.ts'
import { comparer } from './compare.ts'
import { type CostHarness, somePictures, startCostHarness } from './fixture.ts'
import { ON_DIVIDED_TABLES, REQUESTS } from './table.ts'

const { assertCost, assertAll } = comparer(REQUESTS, ON_DIVIDED_TABLES)

let harness: CostHarness
let account: string
let token: string
before(async () => {
  harness = await startCostHarness()
  const ada = await signIn(harness, 'demo-social', 'ada')
  account = ada.account
  token = ada.access_token
  await harness.connectShop('ada', account)
  harness.setPictures(somePictures(100))
  await harness.sync('ada')
})
after(() => harness.stop())

const read = async (path: string): Promise<Record<string, unknown>> => {
  const { status, text, body } = await get(harness, path, token)
  assert.equal(status, 200, text)
  return body
}

suite('with a token', () => {
  for (const path of [
    '/types/photos',
    '/types/photos?map=true',
    '/types/photos?fields=id',
    '/types/photos?q=picture',
    '/types/photos?dedup=true',
    '/types/photos?copy_of=true',
    '/types/photos?link=https://x.test/1',
    '/types/photos?count=true',
    '/services/shop/pictures',
    '/types',
    '/services',
    '/services?q=shop',
    '/services/shop',
    '/profiles',
    '/profile',
    '/sync',
    '/profiles/shop/sync',
    '/people',
  ])
    test(`GET ${path}`, async () => {
      assertCost(`GET ${path}`, await harness.warm(() => read(path)))
    })

  test('GET /types/photos, nothing cached', async () => {
    const cold = async () => {
      harness.cool()
      await read('/types/photos')
    }
    assertCost('GET /types/photos, nothing cached', await harness.warm(cold))
  })

  test('GET /changes, a page of 20', async () => {
    assertCost('GET /changes, a page of 20', await harness.warm(() => read('/changes?limit=20')))
  })

  test('GET /changes, nothing new', async () => {
    const { cursor } = await read('/changes?cursor=now')
    assertCost('GET /changes, nothing new', await harness.warm(() => read(`/changes?cursor=${String(cursor)}`)))
  })

  test('an agent reads', async () => {
    await allowAgents(harness, harness.app)
    const { access_token: agent } = await agentTokens(harness)
    const list = () => callTool(harness, agent, 'list_items', { type: 'photos' })
    assertCost('MCP list_items', await harness.warm(list))
  })
})

suite('the feed of an app', () => {
  const page = async (query: string) => {
    const headers = basic(harness.app)
    const { status, text, body } = await send(harness, 'GET', `/accounts/changes?${query}`, { headers })
    assert.equal(status, 200, text)
    return body as { cursor: string; changes: unknown[] }
  }

  test('a poll with nothing new', async () => {
    await page('cursor=now')
    await harness.deliverAll()
    const { cursor } = await page('cursor=now')
    assertCost('GET /accounts/changes, nothing new', await harness.warm(() => page(`cursor=${cursor}`)))
  })

  test('an entry', async () => {
    const recordOneMore = async (count: number) => {
      harness.setPictures(somePictures(count))
      await harness.sync('ada')
      await harness.deliverAll()
    }
    // The first entry of a profile follows one that names the profile.
    await recordOneMore(101)
    const { cursor } = await page('cursor=now')
    await recordOneMore(102)
    assert.equal((await page(`cursor=${cursor}`)).changes.length, 1)
    const isDivided = await isSharded(harness.worker.database)
    assertCost('GET /accounts/changes, one entry', await harness.warm(() => page(`cursor=${cursor}`)), isDivided)
  })

  test('entries of two accounts', async () => {
    await harness.connectShop('ben')
    await harness.sync('ben')
    await harness.deliverAll()
    const { cursor } = await page('cursor=now')
    harness.setPictures(somePictures(105))
    for (const person of ['ada', 'ben']) await harness.sync(person)
    await harness.deliverAll()
    assert.equal((await page(`cursor=${cursor}`)).changes.length, 6)
    const isDivided = await isSharded(harness.worker.database)
    const name = 'GET /accounts/changes, entries of many accounts'
    assertCost(name, await harness.warm(() => page(`cursor=${cursor}`)), isDivided)
  })
})

suite('a page of the dashboard', () => {
  let operator: Record<string, string>
  let destination: string
  before(async () => {
    operator = (await newOperator(harness.tributary)).headers
    destination = await harness.addWebhook()
  })

  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const { status, text } = await send(harness, 'GET', path, { headers: { ...operator, ...headers } })
    assert.equal(status, 200, text)
  }
  const forApp = (path: string) => ask(path, { 'tributary-app': harness.app.clientId })
  const forAccount = (path: string) =>
    ask(path, { 'tributary-app': harness.app.clientId, 'tributary-account': account })
  /** What each page asks for when it is opened, one after the other: test/long/dashboard-pages.ts. */
  const pages: Record<string, () => (() => Promise<void>)[]> = {
    overview: () => [() => ask('/admin/apps'), () => ask('/admin/overview')],
    accounts: () => [
      () => ask('/admin/apps'),
      () => forApp('/services'),
      () => forApp('/accounts?count=true&limit=50'),
    ],
    account: () => [
      () => forApp(`/accounts/${account}`),
      () => forAccount('/agents'),
      () => forAccount('/profiles/shop/sync'),
    ],
    push: () => [
      () => forApp('/push'),
      ...['', '/deliveries', '/dead-letters', '/dead-letters/reasons', '/history'].map(
        (part) => () => forApp(`/push/${destination}${part}`),
      ),
    ],
    log: () => [
      () => ask(`/admin/apps/${harness.app.clientId}/log`),
      () => ask(`/admin/apps/${harness.app.clientId}/log?kind=sign_in&outcome=failed`),
    ],
  }
  for (const [page, requests] of Object.entries(pages))
    test(page, async () => {
      const load = async () => {
        for (const request of requests()) await request()
      }
      assertCost(`dashboard: ${page}`, await harness.warm(load))
    })
})

test('every row of the table was counted', assertAll)
