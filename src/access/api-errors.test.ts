import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Reason } from '#model/errors.ts'
import { UPSTREAM_REASONS, type UpstreamReason } from '#model/upstream-reasons.ts'
import { type Recovery, UpstreamError } from '#upstream/errors.ts'
import { apiErrorOf } from './api-errors.ts'

type Row = [reason: UpstreamReason, recovery: Recovery, omitUndefined: Reason, stored: Reason]

const ROWS: Row[] = [
  ['service_unreachable', 'retry', 'service_unreachable', 'service_unreachable'],
  ['service_failed', 'retry', 'service_unreachable', 'service_unreachable'],
  ['answer_unreadable', 'retry', 'service_unreachable', 'service_unreachable'],
  ['refresh_busy', 'retry', 'service_unreachable', 'service_unreachable'],
  ['service_timeout', 'retry', 'service_timeout', 'service_timeout'],
  ['rate_limited', 'retry', 'service_limited', 'service_limited'],
  ['rate_limited_here', 'retry', 'service_limited', 'service_limited'],
  ['capacity', 'retry', 'service_limited', 'service_limited'],
  ['grant_refused', 'reauthorize', 'service_refused', 'needs_auth'],
  ['service_refused', 'reauthorize', 'service_refused', 'needs_auth'],
  ['no_credential', 'reauthorize', 'service_refused', 'needs_auth'],
  ['credential_damaged', 'reauthorize', 'service_refused', 'needs_auth'],
  ['keys_refused', 'stop', 'service_refused', 'service_unreachable'],
  ['address_refused', 'stop', 'service_refused', 'service_unreachable'],
  ['home_mismatch', 'stop', 'service_refused', 'service_unreachable'],
  ['not_found', 'skip', 'service_refused', 'service_unreachable'],
  ['request_invalid', 'stop', 'bad_request', 'bad_request'],
]

suite('what the app is told of a service’s failure', () => {
  for (const [reason, recovery, omitUndefined, stored] of ROWS)
    test(`${reason}, ${recovery}`, () => {
      const error = new UpstreamError(recovery, 'The service said: secret words', { reason })
      assert.deepEqual([apiErrorOf(error, 'given').reason, apiErrorOf(error, 'stored').reason], [omitUndefined, stored])
      assert.equal(apiErrorOf(error, 'stored').cause, error)
      assert.doesNotMatch(apiErrorOf(error, 'given').message, /secret words/)
    })

  test('a limit says when to come back, also where the service did not', () => {
    const limited = (retryAfterMs?: number) =>
      apiErrorOf(new UpstreamError('retry', '', { reason: 'rate_limited', retryAfterMs }), 'stored').retryAfterS
    assert.deepEqual([limited(1500), limited(0), limited()], [2, 0, 60])
  })

  test('every failure of a service is one of 400, 401, 403, 429, 502 and 504, and never ours', () => {
    for (const reason of Object.keys(UPSTREAM_REASONS) as UpstreamReason[])
      for (const recovery of ['retry', 'reauthorize', 'skip', 'stop'] as const)
        for (const origin of ['given', 'stored'] as const) {
          const { status } = apiErrorOf(new UpstreamError(recovery, '', { reason }), origin)
          assert.ok([400, 401, 403, 429, 502, 504].includes(status), `${reason} ${recovery}: ${status}`)
        }
  })
})
