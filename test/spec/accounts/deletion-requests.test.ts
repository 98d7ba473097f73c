import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { TEXTS as DELETION } from '../../../src/http/pages/languages/deletion/index.ts'
import { LANGUAGES } from '../../../src/http/pages/languages/languages.ts'
import { until } from '../../harness/until.ts'
import { type AllServices, startAllServices } from '../sign-in/all-services-fixture.ts'

type Meta = 'facebook' | 'instagram'

suite('deletion requests of services', () => {
  let harness: AllServices
  before(async () => {
    harness = await startAllServices()
  })
  after(() => harness.stop())

  const idOf = (service: Meta, username: string) =>
    harness.lab.services[service].people.find((person) => person.username === username)!.id
  const secretOf = (service: Meta) => harness.app.keys[service]!.secret
  const signedRequest = (payload: object, secret: string) => {
    const text = Buffer.from(JSON.stringify(payload)).toString('base64url')
    return `${createHmac('sha256', secret).update(text).digest('base64url')}.${text}`
  }
  const nowS = () => Math.floor(Date.now() / 1000)
  const payloadOf = (person: string, more: object = {}) => ({
    algorithm: 'HMAC-SHA256',
    issued_at: nowS(),
    user_id: person,
    ...more,
  })
  const post = async (service: Meta, what: 'deletion' | 'deauthorize', payload: object, secret = secretOf(service)) => {
    const response = await fetch(`${harness.tributary.url}/hooks/${service}/${harness.app.clientId}/${what}`, {
      method: 'POST',
      body: new URLSearchParams({ signed_request: signedRequest(payload, secret) }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, string> }
  }
  const profiles = async (service: Meta) =>
    (await harness.sql<{ state: string }>('select state from profile where service = $1', [service])).map(
      ({ state }) => state,
    )
  const statusOf = async (url: string) => (await fetch(url)).text()

  for (const service of ['facebook', 'instagram'] as const) {
    test(`${service}: everything of the person is deleted in all accounts, and the page says so`, async () => {
      await harness.signIn(service, 'ada')
      await harness.signIn(service, 'ada', await harness.otherAccount())
      assert.equal((await profiles(service)).length, 2)
      const payload = payloadOf(idOf(service, 'ada'))
      const { status, body } = await post(service, 'deletion', payload)
      assert.equal(status, 200)
      assert.match(body['confirmation_code']!, /^[0-9a-z]{32}$/)
      assert.equal(body['url'], `${harness.tributary.url}/deletions/${body['confirmation_code']}`)
      await until(
        'the page says that it is done',
        () => statusOf(body['url']!),
        (text) => text.includes('Your data is deleted'),
      )
      assert.deepEqual(await profiles(service), [])
      const stored = await harness.sql<{ native_id: string | null }>('select native_id from deletion_request')
      assert.ok(stored.every(({ native_id: id }) => id === null))
      assert.doesNotMatch(await statusOf(body['url']), new RegExp(idOf(service, 'ada')))
      // Somebody who repeats the request later does not delete what the person connected since.
      await harness.signIn(service, 'ada')
      assert.deepEqual((await post(service, 'deletion', payload)).body, body)
      await harness.tributary.idle('deletions')
      assert.equal((await profiles(service)).length, 1)
      const again = await post(service, 'deletion', { ...payload, issued_at: payload.issued_at - 1 })
      assert.notEqual(again.body['confirmation_code'], body['confirmation_code'])
      await until(
        'it is deleted again',
        () => profiles(service),
        (list) => list.length === 0,
      )
    })
  }

  test('a person who is not known gets a confirmation as well', async () => {
    const { status, body } = await post('facebook', 'deletion', payloadOf('404404'))
    assert.equal(status, 200)
    await until(
      'the page says so',
      () => statusOf(body['url']!),
      (text) => text.includes('Nothing is stored'),
    )
  })

  test('S94 only signed, recent requests with the right algorithm are accepted', async () => {
    const person = idOf('facebook', 'ada')
    const statuses = [
      (await post('facebook', 'deletion', payloadOf(person), 'another secret')).status,
      (await post('facebook', 'deletion', payloadOf(person), '')).status,
      (await post('facebook', 'deletion', payloadOf(person, { algorithm: 'none' }))).status,
      (await post('facebook', 'deletion', payloadOf(person, { issued_at: nowS() - 2 * 86_400 }))).status,
      (await post('facebook', 'deletion', payloadOf(person, { issued_at: nowS() + 3600 }))).status,
      (await post('facebook', 'deletion', payloadOf(person, { issued_at: undefined }))).status,
    ]
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 401])
    const url = `${harness.tributary.url}/hooks/facebook/${harness.app.clientId}/deletion`
    const bodies = ['', 'signed_request=', 'signed_request=a', 'signed_request=a.b.c', 'signed_request=.e30']
    for (const body of bodies) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body,
      })
      assert.ok(response.status === 401 || response.status === 429, body)
    }
  })

  test('a service without such requests, an unknown app and an unknown code are not found', async () => {
    const found = await Promise.all([
      fetch(`${harness.tributary.url}/hooks/github/${harness.app.clientId}/deletion`, { method: 'POST' }),
      fetch(`${harness.tributary.url}/hooks/facebook/nobody/deletion`, { method: 'POST' }),
      fetch(`${harness.tributary.url}/deletions/0123456789abcdefghjkmnpqrstvwxyz`),
    ])
    assert.deepEqual(
      found.map(({ status }) => status),
      [404, 404, 404],
    )
  })

  test('S94 a key without a secret accepts nothing: its signatures prove nothing', async () => {
    const { clientId } = await harness.newApp([])
    const keys = { key: 'key', secret: '' }
    const put = await harness.tributary.admin('PUT', `/admin/apps/${clientId}/keys/facebook`, keys)
    assert.equal(put.status, 200)
    const signed = { signed_request: signedRequest(payloadOf('1'), '') }
    for (const path of ['', '/deletion', '/deauthorize']) {
      const body = new URLSearchParams(signed)
      const { status } = await fetch(`${harness.tributary.url}/hooks/facebook/${clientId}${path}`, {
        method: 'POST',
        body,
      })
      assert.equal(status, 401, path)
    }
  })

  test('a person who removed the app has to sign in again; a repeated notice does not end the new grant', async () => {
    await harness.signIn('facebook', 'ben')
    const payload = payloadOf(idOf('facebook', 'ben'), { issued_at: nowS() + 2 })
    assert.deepEqual((await post('facebook', 'deauthorize', payload)).body, { ended: 1 })
    assert.deepEqual(await profiles('facebook'), ['needs_auth'])
    await until('the second is over', async () => nowS() > payload.issued_at + 1)
    await harness.signIn('facebook', 'ben')
    assert.deepEqual((await post('facebook', 'deauthorize', payload)).body, { ended: 0 })
    assert.ok(!(await profiles('facebook')).includes('needs_auth'))
  })

  test('the addresses to enter at the service are listed', async () => {
    const response = await fetch(`${harness.tributary.url}/services?client_id=${harness.app.clientId}`)
    const services = (await response.json()) as Record<string, { addresses: Record<string, string> }>
    const hook = `${harness.tributary.url}/hooks/facebook/${harness.app.clientId}`
    assert.deepEqual(services['facebook']?.addresses, {
      callback: harness.app.keys['facebook']!.callback,
      hook,
      deletion: `${hook}/deletion`,
      deauthorize: `${hook}/deauthorize`,
    })
    assert.equal(services['tumblr']?.addresses['deletion'], undefined)
  })

  test('the page is in seven languages in every state: by `locale`, otherwise by the browser', async () => {
    const { body } = await post('facebook', 'deletion', payloadOf('505505'))
    const url = body['url']!
    await until(
      'the deletion is done',
      () => statusOf(url),
      (text) => text.includes('Nothing is stored'),
    )
    const hash = 'hash = (select hash from deletion_request order by requested_at desc limit 1)'
    const STATES: [change: string, title: keyof (typeof DELETION)['en']][] = [
      ['profiles = 0', 'nothingTitle'],
      ['profiles = 1', 'deletedTitle'],
      // With a lease that does not end, so that no worker finishes it again.
      ['finished_at = null, lease_until = 9000000000000000', 'waitingTitle'],
    ]
    for (const [change, title] of STATES) {
      await harness.sql(`update deletion_request set ${change} where ${hash}`)
      for (const language of LANGUAGES) {
        const text = await statusOf(`${url}?locale=${language}`)
        assert.ok(text.includes(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`), language)
        assert.ok(text.includes(`<h1>${DELETION[language][title]}</h1>`), `${language} ${title}`)
        assert.ok(text.includes(`<code dir="ltr">${body['confirmation_code']}</code>`))
      }
    }
    const german = await fetch(url, { headers: { 'accept-language': 'de' } })
    assert.equal(german.headers.get('content-language'), 'de')
    const unknown = await fetch(`${harness.tributary.url}/deletions/%3Cb%3E?locale=es`)
    assert.equal(unknown.status, 404)
    const text = await unknown.text()
    assert.ok(text.includes(DELETION.es.unknown) && text.includes('&lt;b&gt;') && !text.includes('<b>'))
  })
})
