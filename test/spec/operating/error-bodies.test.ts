import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { errorBody } from '#http/server/errors.ts'
import { ApiError, codeOfReason, REASONS } from '#model/errors.ts'
import { keysOf } from '#platform/formats/keys-of.ts'
import { type App, basic, makeApp } from '../../harness/app.ts'
import { newPerson, type Person } from '../../harness/person.ts'
import { send } from '../../harness/send.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

let tributary: Tributary
let app: App
let person: Person
before(async () => {
  tributary = await startTributary()
  app = await makeApp(tributary)
  person = await newPerson(tributary.store, app.clientId)
})
after(() => tributary.stop())

const call = (method: string, path: string, options?: Parameters<typeof send>[3]) =>
  send({ tributary }, method, path, options)
const asAdmin = () => ({ authorization: `Bearer ${tributary.adminToken}` })

suite('the body of an error', () => {
  test('has the sentence, the code, the reason, the parameter and an address', async () => {
    const { status, body, headers } = await call('GET', '/types/photos?limit=x', { token: person.token })
    assert.equal(status, 400)
    assert.deepEqual(body, {
      error: 'limit: must be a whole number, 0 or more.',
      code: 40002,
      reason: 'bad_parameter',
      param: 'limit',
      see: `${tributary.url}/docs#bad_parameter`,
      request_id: headers.get('x-request-id'),
    })
  })

  test('`see` leads to a page that exists and describes the reason', async () => {
    const pages = new Map<string, string>()
    for (const reason of keysOf(REASONS)) {
      const { see, code } = errorBody(new ApiError(reason), 'id', tributary.url)
      const [address = '', anchor] = see.split('#')
      if (!pages.has(address)) {
        const page = await fetch(address)
        assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
        pages.set(address, await page.text())
      }
      const [, row, ...more] = pages.get(address)!.split(`id="${anchor}"`)
      assert.ok(row !== undefined && more.length === 0, `${reason}: one anchor`)
      assert.ok(row.slice(0, 200).includes(`<code>${reason}</code>`) && row.slice(0, 200).includes(String(code)), row)
    }
    assert.equal(pages.size, 1)
    assert.match([...pages.values()][0]!, / id="push"/)
  })

  test('quotes a request only up to a limit', async () => {
    const name = 'x'.repeat(100_000)
    const { status, text, body } = await call('PUT', `/admin/apps/${app.clientId}/sync`, {
      headers: asAdmin(),
      json: { pace: { [name]: '15m' } },
    })
    assert.deepEqual([status, String(body['param']).length], [400, 201])
    assert.ok(text.length < 2000, `${text.length} characters`)
  })
})

suite('a body that is not JSON', () => {
  const CASES: [body: string, sentence: string][] = [
    ['{\n  "name": "a",\n  "url": }', 'The body is not JSON: line 3, column 10: expected a value.'],
    ['{"name":"sécret"', 'The body is not JSON: line 1, column 17: the text ends where a comma or “}” is expected.'],
    ['hello', 'The body is not JSON: line 1, column 1: expected a value.'],
    ['', 'The body is empty, although its content type is JSON.'],
    ['{"__proto__":1}', 'The body has a field named “__proto__”, or “constructor” with a “prototype”.'],
    ['[]', 'the body: must be an object, not a list.'],
    ['"text"', 'the body: must be an object, not a text.'],
    ['{"name":["a"],"kind":"webhook","url":"https://x.test/"}', 'name: must be a text, not a list.'],
    ['{"kind":"webhook","url":"https://x.test/"}', 'name: is missing.'],
    ['{"name":"","kind":"webhook","url":"https://x.test/"}', 'name: is empty.'],
    ['{"name":"a","kind":"webhook","url":"https://x.test/","filter":"*"}', 'filter: must be a list, not a text.'],
    ['{"name":"a","kind":"webhook","url":"https://x.test/","filter":[5]}', 'filter.0: must be a text, not a number.'],
  ]
  for (const [body, sentence] of CASES)
    test(`is refused with its fault: ${JSON.stringify(body)}`, async () => {
      const headers = { ...basic(app), 'content-type': 'application/json' }
      const reply = await call('POST', '/push', { headers, body })
      assert.deepEqual([reply.status, reply.body['reason'], reply.body['error']], [400, 'bad_body', sentence])
      const named = /^([a-z_.0-9]+): /.exec(sentence)?.[1]
      assert.equal(reply.body['param'], named)
    })

  test('own items: the entry and its field are named', async () => {
    const reply = await call('POST', '/services/self/notes', {
      token: person.token,
      json: [{ id: 'a' }, { id: 'b', type: [] }],
    })
    assert.deepEqual([reply.body['error'], reply.body['param']], ['1.type: must be a text, not a list.', '1.type'])
    const nul = await call('POST', '/push', {
      headers: basic(app),
      json: { name: 'a\0', kind: 'webhook', url: 'https://x.test/' },
    })
    assert.deepEqual([nul.status, nul.body['reason'], nul.body['param']], [400, 'bad_body', 'name'])
  })
})

suite('a misspelt field of a body', () => {
  test('is refused with the name that was meant', async () => {
    const destination = { name: 'a', kind: 'webhook', url: 'https://hooks.test/', filters: ['/types/photos'] }
    const reply = await call('POST', '/push', { headers: basic(app), json: destination })
    assert.deepEqual(
      [reply.status, reply.body['reason'], reply.body['param'], reply.body['error']],
      [400, 'parameter_unknown', 'filters', 'Unknown field “filters”. Did you mean “filter”?'],
    )
    const key = { key: 'k', secret: 's', overides: { base_url: 'https://git.test' } }
    const keys = await call('PUT', `/admin/apps/${app.clientId}/keys/github`, { headers: asAdmin(), json: key })
    assert.deepEqual([keys.status, keys.body['param']], [400, 'overides'])
    const applied = { client_id: app.clientId, client_secret: app.secret, token: 't', acount: 'x' }
    const apply = await call('POST', '/auth/github/apply', { json: applied })
    assert.deepEqual([apply.status, apply.body['param']], [400, 'acount'])
  })

  test('what a GET returned can be changed and sent back', async () => {
    const { body } = await call('GET', `/admin/apps/${app.clientId}`, { headers: asAdmin() })
    const json = { ...body, name: 'Changed' }
    const changed = await call('PATCH', `/admin/apps/${app.clientId}`, { headers: asAdmin(), json })
    assert.deepEqual([changed.status, changed.body['name']], [200, 'Changed'])
  })

  test('an unknown parameter in the filter of a destination is refused', async () => {
    const filtered = (path: string) => ({ name: 'f', kind: 'webhook', url: 'https://hooks.test/', filter: [path] })
    const reply = await call('POST', '/push', { headers: basic(app), json: filtered('/types/photos?participant=self') })
    assert.deepEqual([reply.status, reply.body['param']], [400, 'filter'])
    assert.match(String(reply.body['error']), /Unknown parameter “participant”\. Did you mean “participants”\?/)
    assert.equal(
      (await call('POST', '/push', { headers: basic(app), json: filtered('/types/photos?q=a') })).status,
      201,
    )
  })
})

suite('WWW-Authenticate', () => {
  const challenge = async (path: string, options?: Parameters<typeof send>[3], method = 'GET') => {
    const { status, headers } = await call(method, path, options)
    return [status, headers.get('www-authenticate')]
  }
  const invalid =
    'error="invalid_token", error_description="The access token is unknown or revoked, or its account was merged into another."'

  test('without credentials names the scheme and the realm only', async () => {
    assert.deepEqual(await challenge('/profiles'), [401, 'Bearer realm="tributary"'])
    assert.deepEqual(await challenge('/profiles?access_token='), [401, 'Bearer realm="tributary"'])
    assert.deepEqual(await challenge('/admin/apps'), [401, 'Bearer realm="tributary"'])
    assert.deepEqual(await challenge('/push'), [401, 'Basic realm="tributary", charset="UTF-8"'])
    assert.deepEqual(await challenge('/proxy/github/user'), [401, 'Bearer realm="tributary"'])
  })

  test('for a token that is not accepted says so, wherever the token was', async () => {
    for (const path of ['/profiles', '/types/photos', '/proxy/github/user'])
      assert.deepEqual(
        await challenge(path, { token: 'tro_none' }),
        [401, `Bearer realm="tributary", ${invalid}`],
        path,
      )
    assert.deepEqual(await challenge('/profiles?access_token=x'), [401, `Bearer realm="tributary", ${invalid}`])
  })

  test('for two tokens says that the request is wrong', async () => {
    const [status, header] = await challenge('/profiles?access_token=a', { token: 'b' })
    assert.equal(status, 400)
    assert.match(String(header), /^Bearer realm="tributary", error="invalid_request", error_description="[^"\\]+"$/)
  })

  test('for a wrong secret of an app is Basic, also if the secret was in the body', async () => {
    const wrong = { client_id: app.clientId, client_secret: 'trs_wrong', code: 'x' }
    assert.deepEqual(await challenge('/oauth/access_token', { form: wrong }, 'POST'), [
      401,
      'Basic realm="tributary", charset="UTF-8"',
    ])
    assert.deepEqual(await challenge('/push', { headers: basic({ ...app, secret: 'trs_wrong' }) }), [
      401,
      'Basic realm="tributary", charset="UTF-8"',
    ])
  })

  test('is absent from other errors', async () => {
    assert.deepEqual(await challenge('/nothing'), [404, null])
    assert.deepEqual(await challenge('/types/photos?limit=x', { token: person.token }), [400, null])
  })
})

suite('errors of the OAuth endpoints', () => {
  const credentials = () => ({ client_id: app.clientId, client_secret: app.secret })
  const CASES: [what: string, method: string, path: string, form: () => Record<string, string>, word: string][] = [
    [
      'a wrong secret',
      'POST',
      '/oauth/access_token',
      () => ({ ...credentials(), client_secret: 'x', code: 'y' }),
      'invalid_client',
    ],
    ['a wrong code', 'POST', '/oauth/access_token', () => ({ ...credentials(), code: 'y' }), 'invalid_grant'],
    ['a missing code', 'POST', '/oauth/access_token', credentials, 'invalid_request'],
    ['a token to revoke that is missing', 'POST', '/oauth/revoke', credentials, 'invalid_request'],
    ['an unknown app', 'GET', '/oauth/authenticate?client_id=x', () => ({}), 'invalid_client'],
    ['an unfinished sign-in', 'GET', '/auth/github/callback?state=x', () => ({}), 'invalid_request'],
    [
      'a service without keys',
      'POST',
      '/auth/github/apply',
      () => ({ ...credentials(), token: 't' }),
      'unauthorized_client',
    ],
    ['an unknown token', 'POST', '/auth/merge', () => ({ source: 'a', dest: 'b' }), 'invalid_token'],
  ]
  for (const [what, method, path, form, word] of CASES)
    test(`${what}: the word is ${word}, and \`error\` stays the sentence`, async () => {
      const { body } = await call(method, path, method === 'POST' ? { form: form() } : {})
      assert.equal(body['error_code'], word)
      assert.match(String(body['error']), /\.$/)
      assert.match(String(body['error_description']), /^[ !#-[\]-~]+$/)
      assert.equal(body['code'], codeOfReason(body['reason'] as keyof typeof REASONS))
    })

  test('other endpoints do not have the word', async () => {
    const { body } = await call('GET', '/profiles')
    assert.ok(!('error_code' in body) && !('error_description' in body))
  })

  test('an error names the parameter, in whichever place it was', async () => {
    const missing = await call('POST', '/oauth/access_token', { json: { client_id: app.clientId, code: 'x' } })
    assert.deepEqual([missing.body['reason'], missing.body['param']], ['bad_body', 'client_secret'])
    const inQuery = await call('GET', `/auth/github/apply?client_id=${app.clientId}&token=t`)
    assert.deepEqual([inQuery.body['reason'], inQuery.body['param']], ['bad_parameter', 'client_secret'])
    const merge = await call('POST', '/auth/merge', { json: { source: person.token, dest: 'b' } })
    assert.deepEqual([merge.status, merge.body['param']], [401, 'dest'])
    const code = await call('POST', '/oauth/access_token', { form: { ...credentials(), code: 'y' } })
    assert.deepEqual([code.body['reason'], code.body['param']], ['code_invalid', 'code'])
  })
})

suite('the list of services', () => {
  const has = async (path: string, options?: Parameters<typeof send>[3]) => {
    const { status, body } = await call('GET', path, options)
    return [status, (body['github'] as { has_keys?: boolean } | undefined)?.has_keys]
  }

  test('says whether an app has keys, named by its id or by a token; an unknown id is refused', async () => {
    const { clientId } = await makeApp(tributary, { keys: { github: { key: 'k', secret: 's' } } })
    const { token } = await newPerson(tributary.store, clientId)
    assert.deepEqual(await has('/services'), [200, undefined])
    assert.deepEqual(await has(`/services?client_id=${clientId}`), [200, true])
    assert.deepEqual(await has(`/services?client_id=${app.clientId}`), [200, false])
    assert.deepEqual(await has('/services', { token }), [200, true])
    assert.deepEqual(await has(`/services?access_token=${token}&client_id=${clientId}`), [200, true])
    const unknown = await call('GET', '/services?client_id=bad')
    assert.deepEqual(
      [unknown.status, unknown.body['reason'], unknown.body['param']],
      [400, 'client_unknown', 'client_id'],
    )
    const other = await call('GET', `/services?client_id=${app.clientId}`, { token })
    assert.deepEqual([other.status, other.body['reason'], other.body['param']], [400, 'bad_parameter', 'client_id'])
    assert.deepEqual(await has('/services', { token: 'none' }), [401, undefined])
  })

  test('a token that is revoked, and an app that is deleted, are refused', async () => {
    const { clientId } = await makeApp(tributary, { keys: { github: { key: 'k', secret: 's' } } })
    await tributary.admin('DELETE', `/admin/apps/${clientId}`)
    assert.deepEqual(await has(`/services?client_id=${clientId}`), [400, undefined])
  })
})
