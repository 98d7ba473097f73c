import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { ATTEMPTS } from '#flows/apps/limit-guesses.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

let tributary: Tributary
before(async () => {
  tributary = await startTributary({ TRUST_PROXY: '127.0.0.1' })
})
after(() => tributary.stop())

const request = (from: string, token: string) =>
  fetch(`${tributary.url}/admin/apps`, { headers: { 'x-forwarded-for': from, authorization: `Bearer ${token}` } })

suite('guessing the admin token', () => {
  // A window of a minute can end in between, so twice the limit must be enough and the limit must be let through.
  test('is blocked after the limit, with Retry-After, and blocks no other client', async () => {
    const statuses: number[] = []
    let last: Response | undefined
    for (let i = 0; i <= ATTEMPTS.perSubject * 2 && last?.status !== 429; i += 1) {
      last = await request('203.0.113.1', `tra_guess_${i}`)
      statuses.push(last.status)
    }
    assert.equal(last?.status, 429)
    assert.ok(statuses.length > ATTEMPTS.perSubject, String(statuses.length))
    assert.equal(((await last.json()) as { reason: string }).reason, 'too_many_attempts')
    const wait = Number(last.headers.get('retry-after'))
    assert.ok(wait >= 1 && wait <= 60, String(wait))
    assert.equal((await request('203.0.113.2', tributary.adminToken)).status, 200)
    assert.equal((await request('203.0.113.2', 'tra_wrong')).status, 401)
  })

  test('cannot be hidden by prepending addresses to X-Forwarded-For', async () => {
    let stopped = false
    for (let i = 0; i <= ATTEMPTS.perSubject * 2 && !stopped; i += 1)
      stopped = (await request(`198.51.100.${i}, 203.0.113.3`, 'tra_guess')).status === 429
    assert.ok(stopped)
  })

  test('a call without a token does not count', async () => {
    for (let i = 0; i < ATTEMPTS.perSubject + 5; i += 1)
      assert.equal(
        (await fetch(`${tributary.url}/admin/apps`, { headers: { 'x-forwarded-for': '203.0.113.4' } })).status,
        401,
      )
  })
})

test('without a trusted proxy, X-Forwarded-For is ignored', async () => {
  const direct = await startTributary()
  try {
    let stopped = false
    for (let i = 0; i <= ATTEMPTS.perSubject * 2 && !stopped; i += 1) {
      const headers = { 'x-forwarded-for': `203.0.113.${i}`, authorization: 'Bearer tra_guess' }
      stopped = (await fetch(`${direct.url}/admin/apps`, { headers })).status === 429
    }
    assert.ok(stopped)
  } finally {
    await direct.stop()
  }
})
