import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseFields } from './parse-object.ts'
import { tokenFailure } from './token-error.ts'

function failure(status: number, text: string, errors: Record<string, 'retry' | 'reauthorize' | 'stop'> = {}) {
  const context = { auth: { errors }, what: 'refresh', nowMs: 0, secrets: ['the-secret'] }
  return tokenFailure({ status, headers: {}, text }, parseFields(text), context)
}
const coded = (status: number, error: unknown) => failure(status, JSON.stringify({ error })).recovery

suite('failed token requests', () => {
  test('a lost grant', () => {
    assert.equal(coded(400, 'invalid_grant'), 'reauthorize')
    assert.equal(coded(200, 'invalid_grant'), 'reauthorize')
    assert.equal(coded(401, 'invalid_token'), 'reauthorize')
    assert.equal(coded(400, 'some_word_of_its_own'), 'reauthorize')
    assert.equal(failure(401, '').recovery, 'reauthorize')
  })

  test('a dead refresh token that is called an invalid request, as X does', () => {
    const refused = (error_description: string, isRefresh = true, errors = {}) => {
      const text = JSON.stringify({ error: 'invalid_request', error_description })
      const context = { auth: { errors }, what: 'refresh', isRefresh, nowMs: 0, secrets: [] }
      const { recovery, reason } = tokenFailure({ status: 400, headers: {}, text }, parseFields(text), context)
      return [recovery, reason]
    }
    const dead = 'Value passed for the token was invalid.'
    assert.deepEqual(refused(dead), ['reauthorize', 'grant_refused'])
    assert.deepEqual(refused('The refresh token has expired'), ['reauthorize', 'grant_refused'])
    assert.deepEqual(refused('Missing required parameter [client_id].'), ['stop', 'request_refused'])
    assert.deepEqual(refused(dead, false), ['stop', 'request_refused'], 'not a refresh')
    assert.deepEqual(refused(dead, true, { invalid_request: 'retry' }), ['retry', 'service_failed'])
  })

  test('wrong keys or configuration', () => {
    for (const error of ['invalid_client', 'unauthorized_client', 'unsupported_grant_type', 'invalid_scope'])
      assert.equal(coded(400, error), 'stop', error)
    assert.equal(failure(404, '').recovery, 'stop')
    assert.equal(failure(302, '').recovery, 'stop')
  })

  test('an outage, whatever the body says', () => {
    for (const status of [408, 425, 429, 500, 502, 503, 504, 520]) assert.equal(coded(status, 'invalid_grant'), 'retry')
    assert.equal(coded(400, 'temporarily_unavailable'), 'retry')
    assert.equal(failure(403, '<html>blocked</html>').recovery, 'retry')
    assert.equal(failure(200, '<html>maintenance</html>').recovery, 'retry')
    assert.equal(failure(200, '{"status":"ok"}').recovery, 'retry')
  })

  test('error codes that the connector declares', () => {
    const errors = { '190': 'reauthorize', bad_secret: 'stop' } as const
    assert.equal(failure(400, '{"error":{"code":190,"type":"X"}}', errors).recovery, 'reauthorize')
    assert.equal(failure(200, '{"error":"bad_secret"}', errors).recovery, 'stop')
  })

  test('the message is short, on one line, and without secrets', () => {
    const description = `no\n\u0000 the-secret access_token=abc Bearer xyzABC123xyzABC123xyzABC123 ${'long '.repeat(100)}`
    const { message } = failure(400, JSON.stringify({ error: 'invalid_grant', error_description: description }))
    assert.ok(message.length < 260)
    assert.doesNotMatch(message, /the-secret|abc|xyz|\p{Cc}/u)
    assert.match(message, /invalid_grant/)
  })
})
