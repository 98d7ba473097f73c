import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Reason } from '#model/errors.ts'
import { UPSTREAM_REASONS, type UpstreamReason } from '#model/sync/upstream-reasons.ts'
import { type Recovery, UpstreamError } from '#upstream/request/errors.ts'
import { apiErrorOf } from './api-errors.ts'

type Row = [reason: UpstreamReason, recovery: Recovery, unverified: Reason, stored: Reason]

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
  ['address_refused', 'stop', 'service_unreachable', 'service_unreachable'],
  ['address_invalid', 'stop', 'service_unreachable', 'service_unreachable'],
  ['address_wrong', 'stop', 'service_unreachable', 'service_unreachable'],
  ['discovery_failed', 'stop', 'service_unreachable', 'service_unreachable'],
  ['home_mismatch', 'stop', 'service_refused', 'service_unreachable'],
  ['not_found', 'skip', 'service_refused', 'service_unreachable'],
  ['request_invalid', 'stop', 'bad_request', 'bad_request'],
]

suite('API errors for failures of a service', () => {
  for (const [reason, recovery, unverified, stored] of ROWS)
    test(`${reason}, ${recovery}`, () => {
      const error = new UpstreamError(recovery, 'The service said: secret words', { reason })
      assert.deepEqual(
        [apiErrorOf(error, 'unverified').reason, apiErrorOf(error, 'stored').reason],
        [unverified, stored],
      )
      assert.equal(apiErrorOf(error, 'stored').cause, error)
      assert.doesNotMatch(apiErrorOf(error, 'unverified').message, /secret words/)
    })

  test('a rate limit has a Retry-After, also if the service gave none', () => {
    const limited = (retryAfterMs?: number) =>
      apiErrorOf(new UpstreamError('retry', '', { reason: 'rate_limited', retryAfterMs }), 'stored').retryAfterS
    assert.deepEqual([limited(1500), limited(0), limited()], [2, 0, 60])
  })

  test('every failure of a service has the status 400, 401, 403, 429, 502 or 504, never 500', () => {
    for (const reason of Object.keys(UPSTREAM_REASONS) as UpstreamReason[])
      for (const recovery of ['retry', 'reauthorize', 'skip', 'stop'] as const)
        for (const state of ['unverified', 'stored'] as const) {
          const { status } = apiErrorOf(new UpstreamError(recovery, '', { reason }), state)
          assert.ok([400, 401, 403, 429, 502, 504].includes(status), `${reason} ${recovery}: ${status}`)
        }
  })
})
