import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { verifyWebhook, verifyWebhookRequest } from '../../sdk/src/index.ts'

const [current, previous, other] = ['current', 'previous', 'other'].map((text) => `whsec_${btoa(text.repeat(4))}`) as [
  string,
  string,
  string,
]
const body = JSON.stringify({ type: 'test', timestamp: '2026-01-01T00:00:00.000Z', data: {}, ü: '🎉' })

/** Signs with the reference library. */
function signedBy(secrets: string[], { at = new Date(), id = 'msg_1', text = body } = {}): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, text)).join(' '),
  }
}

suite('webhooks of the SDK', () => {
  test('a message is accepted with either secret, in every form of body and headers', async () => {
    const headers = signedBy([current, previous])
    const bytes = new TextEncoder().encode(body)
    for (const secrets of [current, previous, [other, previous], [current, other]])
      for (const form of [body, bytes, bytes.buffer])
        assert.deepEqual(await verifyWebhook(form, headers, secrets), { ...(JSON.parse(body) as object), id: 'msg_1' })
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]))
    assert.equal((await verifyWebhook(body, upper, current)).type, 'test')
    const request = new Request('https://a.test/hook', { method: 'POST', body, headers })
    assert.equal((await verifyWebhookRequest(request, [previous])).id, 'msg_1')
  })

  test('a message is refused with another secret, body, id or time', async () => {
    const headers = signedBy([current])
    const wrong = { reason: 'signature_wrong' }
    await assert.rejects(verifyWebhook(body, headers, other), wrong)
    await assert.rejects(verifyWebhook(body, headers, []), wrong)
    await assert.rejects(verifyWebhook(`${body} `, headers, current), wrong)
    await assert.rejects(verifyWebhook(body, { ...headers, 'webhook-id': 'msg_2' }, current), wrong)
    const later = String(Number(headers['webhook-timestamp']) + 1)
    await assert.rejects(verifyWebhook(body, { ...headers, 'webhook-timestamp': later }, current), wrong)
    for (const signature of ['v1,', 'v1,!!!', 'v2,abcd', 'v1a,abcd', headers['webhook-signature']!.slice(0, -3)])
      await assert.rejects(verifyWebhook(body, { ...headers, 'webhook-signature': signature }, current), wrong)
  })

  test('a message that is too old or too new is refused, and the tolerance can be chosen', async () => {
    const now = 1_800_000_000_000
    for (const [ageS, reason] of [
      [301, 'too_old'],
      [-301, 'too_new'],
    ] as const) {
      const headers = signedBy([current], { at: new Date(now - ageS * 1000) })
      await assert.rejects(verifyWebhook(body, headers, current, { now }), { reason })
      assert.equal((await verifyWebhook(body, headers, current, { now, toleranceMs: 302_000 })).type, 'test')
    }
    const recent = signedBy([current], { at: new Date(now - 299_000) })
    assert.equal((await verifyWebhook(body, recent, current, { now })).type, 'test')
  })

  test('missing headers, wrong times, many signatures and a body that is not JSON are refused', async () => {
    const headers = signedBy([current])
    for (const name of Object.keys(headers))
      await assert.rejects(verifyWebhook(body, { ...headers, [name]: undefined }, current), {
        reason: 'header_missing',
      })
    for (const time of ['now', '-1', '1e9', '1.5'])
      await assert.rejects(verifyWebhook(body, { ...headers, 'webhook-timestamp': time }, current), {
        reason: 'timestamp_invalid',
      })
    const flood = `${'v1,AAAA '.repeat(50_000)}${headers['webhook-signature']}`
    await assert.rejects(verifyWebhook(body, { ...headers, 'webhook-signature': flood }, current), {
      reason: 'signature_wrong',
    })
    const text = signedBy([current], { text: 'hello' })
    await assert.rejects(verifyWebhook('hello', text, current), { reason: 'body_invalid' })
    await assert.rejects(verifyWebhook(body, headers, 'whsec_not base64!'), TypeError)
  })
})
