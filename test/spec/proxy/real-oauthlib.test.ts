import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { callbackOf } from '../../harness/callback.ts'
import { type LabHarness, startLabHarness } from '../../harness/lab.ts'
import { type Granted, redeem } from '../../harness/sign-in.ts'
import { oauthlibMissing, type RunningOauthlibProvider, startOauthlibProvider } from '../../real/oauthlib-provider.ts'
import { finishReal, walkReal } from '../sign-in/real-walk.ts'

const skip = await oauthlibMissing()

suite('proxied calls to a service built on oauthlib', { skip }, () => {
  let harness: LabHarness
  let provider: RunningOauthlibProvider
  let token: string
  before(async () => {
    harness = await startLabHarness({ TRIBUTARY_CONNECTORS: join(import.meta.dirname, '../sign-in/connectors') })
    const callbacks = (url: string) => [callbackOf(harness.tributary, harness.app, 'oauthlib', { base_url: url })]
    provider = await startOauthlibProvider({ callbacks })
    const { consumerKey: key, consumerSecret: secret, url } = provider
    const body = { key, secret, overrides: { base_url: url } }
    await harness.tributary.admin('PUT', `/admin/apps/${harness.app.clientId}/keys/oauthlib`, body)
    const back = await finishReal(await walkReal(harness, 'oauthlib', (at) => provider.login(at, { user: 'bob' })))
    token = ((await (await redeem(harness, back.get('code')!)).json()) as Granted).access_token
  })
  after(async () => {
    await harness.stop()
    await provider.close()
  })

  async function callProxy(method: string, path: string, type?: string, body?: string) {
    const response = await fetch(`${harness.tributary.url}/proxy/oauthlib${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(type === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    assert.equal(response.status, 200, text)
    return JSON.parse(text) as {
      owner: string
      form: [string, string][]
      body: string
      query: Record<string, string[]>
    }
  }
  const FORM = 'application/x-www-form-urlencoded'

  test('a GET with parameters that need escaping', async () => {
    const { owner, query } = await callProxy('GET', "/items?b=2&a=1&a=0&q=a%20b+c%2Bd&e=&sp%20cial~*=%C3%A9'(x)!")
    assert.equal(owner, 'bob')
    assert.deepEqual(query, {
      b: ['2'],
      a: ['1', '0'],
      q: ['a b c+d'],
      e: [''],
      'sp cial~*': ["é'(x)!"],
    })
  })

  for (const type of [FORM, `${FORM}; charset=UTF-8`])
    test(`a POST whose form is signed: ${type}`, async () => {
      const body = 'status=a+b%2Bc%26&status=twice&empty=&none&%C3%A9=%7E~&x=%27*'
      const echoed = await callProxy('POST', '/echo?z=1&status=3', type, body)
      assert.equal(echoed.body, body)
      assert.deepEqual(echoed.form[0], ['status', 'a b+c&'])
    })

  test('a form without fields, and one of 300 KB', async () => {
    assert.equal((await callProxy('POST', '/echo', FORM, '')).body, '')
    const large = `text=${'%F0%9F%8C%BB'.repeat(25_000)}`
    assert.equal((await callProxy('POST', '/echo', FORM, large)).body, large)
  })

  test('JSON and text are sent unchanged, and not signed', async () => {
    assert.equal(
      (await callProxy('POST', '/echo?a=b', 'application/json', '{"status":"a&b=c"}')).body,
      '{"status":"a&b=c"}',
    )
    assert.equal((await callProxy('POST', '/echo', 'text/plain', 'a=b&c=d')).body, 'a=b&c=d')
  })

  test('our own token is in no signed request', async () => {
    const response = await fetch(`${harness.tributary.url}/proxy/oauthlib/items?access_token=${token}&a=b`)
    assert.equal(response.status, 200)
    assert.deepEqual(((await response.json()) as { query: object }).query, { a: ['b'] })
  })
})
