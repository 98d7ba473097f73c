import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { Form } from '../../../lab/browser/read-page.ts'
import { type App, makeApp } from '../../harness/app.ts'
import { registerAt } from '../../harness/callback.ts'
import { type LabHarness, startLabHarness } from '../../harness/lab.ts'
import { send } from '../../harness/send.ts'
import { codeOf, newBrowser, REDIRECT, redeemed, startUrl } from '../../harness/sign-in.ts'

suite('a service that posts the result of a sign-in', () => {
  let harness: LabHarness
  let app: App
  let callback: string
  before(async () => {
    harness = await startLabHarness({ TRIBUTARY_CONNECTORS: join(import.meta.dirname, 'instance-connectors') })
    const { tributary, lab } = harness
    app = await makeApp(tributary, { redirectUris: [REDIRECT] })
    ;({ callback } = await registerAt(tributary, app, 'demo-posting', lab.services['demo-social']))
  })
  after(() => harness.stop())

  /** Up to the form that the service's page posts to our callback. */
  async function walkToForm(decision: 'allow' | 'deny' = 'allow') {
    const browser = newBrowser()
    const page = await browser.walk(startUrl(harness, 'demo-posting', { state: 's' }, app), { person: 'ada', decision })
    const form = page.forms.find(({ id }) => id === 'form-post')
    assert.ok(form, page.body)
    return { browser, page, form }
  }
  /** As browsers do it: the cookie does not go with a form of another site, but with the GET that follows. */
  const post = ({ action, fields }: Form, change: Record<string, string> = {}) =>
    fetch(action, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ ...Object.fromEntries(fields.map(({ name, value }) => [name, value])), ...change }),
    })

  test('signs in without the code in an address or a log', async () => {
    const { browser, form } = await walkToForm()
    const posted = await post(form)
    assert.equal(posted.status, 303)
    const location = posted.headers.get('location') ?? ''
    const code = form.fields.find(({ name }) => name === 'code')!.value
    assert.match(`${harness.tributary.url}${location}`, new RegExp(`^${callback}\\?posted=\\w+$`))
    const back = await browser.open(`${harness.tributary.url}${location}`)
    assert.ok(back.stopped, back.body)
    assert.equal(new URL(back.url).searchParams.get('state'), 's')
    const granted = await redeemed({ ...harness, app }, codeOf(new URL(back.url)))
    const { body } = await send(harness, 'GET', '/profiles', { token: granted.access_token })
    assert.ok(body['demo-posting'])
    assert.ok(!harness.tributary.logged.some((line) => line.includes(code)), 'the code was logged')
    // Reloaded, and posted again: both are used up.
    assert.equal((await browser.open(`${harness.tributary.url}${location}`)).status, 400)
    assert.equal((await post(form)).status, 400)
  })

  test('a denial comes back too', async () => {
    const { browser, form } = await walkToForm('deny')
    const posted = await post(form)
    const back = await browser.open(`${harness.tributary.url}${posted.headers.get('location')}`)
    assert.equal(new URL(back.url).searchParams.get('error'), 'access_denied')
  })

  test('another browser, another service, a repeated or unknown state are refused', async () => {
    const { form } = await walkToForm()
    const location = (await post(form)).headers.get('location') ?? ''
    assert.equal((await newBrowser().open(`${harness.tributary.url}${location}`)).status, 400)
    const next = await walkToForm()
    const elsewhere = next.form.action.replace('demo-posting', 'demo-social')
    assert.equal((await post({ ...next.form, action: elsewhere })).status, 400)
    assert.equal((await post(next.form, { state: 'guessed' })).status, 400)
    assert.equal((await post(next.form, { code: 'x'.repeat(100_000) })).status, 400)
    const twice = new URLSearchParams(next.form.fields.map(({ name, value }): [string, string] => [name, value]))
    twice.append('state', 'second')
    const repeated = await fetch(next.form.action, { method: 'POST', redirect: 'manual', body: twice })
    assert.equal(repeated.status, 400)
    assert.equal((await post(next.form)).status, 303, 'the state is still good')
  })
})
