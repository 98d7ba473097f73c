import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oauth2 } from '#kit/auth/auth.ts'
import type { LosslessJson } from '../body/lossless-json.ts'
import { readTokenResponse } from './token-response.ts'

const shape = oauth2({ authorizeUrl: 'https://a.test/', tokenUrl: 'https://a.test/' })
const NOW = 1_800_000_000_000
const TEN_YEARS_MS = 10 * 366 * 86_400_000

const expiresAt = (fields: Record<string, LosslessJson>) =>
  readTokenResponse(shape, { access_token: 't', ...fields }, NOW)?.expiresAt

test('a token expires when the service says', () => {
  assert.equal(expiresAt({ expires_in: 3600 }), NOW + 3_600_000)
  assert.equal(expiresAt({ expires_in: '3600' }), NOW + 3_600_000)
  assert.equal(expiresAt({ expires_at: NOW / 1000 + 60 }), NOW + 60_000)
  assert.equal(expiresAt({ expires_at: NOW + 60_000 }), NOW + 60_000)
  assert.equal(expiresAt({ expires_in: 0 }), undefined)
})

test('a lifetime beyond the limit is shortened', () => {
  const odd: (string | number | bigint)[] = [
    '9e25',
    '1e999',
    9e25,
    Number.MAX_VALUE,
    10n ** 40n,
    '9'.repeat(400),
    '+275760-09-13T00:00:00.000Z',
    999_999_999,
    'Infinity',
  ]
  for (const expires_in of odd) {
    const at = expiresAt({ expires_in })
    assert.ok(
      at !== undefined && Number.isSafeInteger(at) && at > NOW && at <= NOW + TEN_YEARS_MS,
      `${expires_in}: ${at}`,
    )
  }
  for (const expires_in of ['-Infinity', '-5', 'NaN', 'soon', -1, -(10n ** 40n)])
    assert.equal(expiresAt({ expires_in }), undefined, String(expires_in))
})
