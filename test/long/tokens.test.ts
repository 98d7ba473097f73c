import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newAccessToken } from '#model/accounts/access-token.ts'

/** The long form is TOKENS=1000000. */
const TOKENS = Number(process.env['TOKENS'] ?? 20_000)

test(`S15 ${TOKENS} access tokens of one moment are all different, and each is shorter than 255 characters`, () => {
  const tokens = new Set<string>()
  for (let i = 0; i < TOKENS; i += 1) tokens.add(newAccessToken(i % 1024, 1_790_000_000_123))
  assert.equal(tokens.size, TOKENS)
  for (const token of tokens) assert.ok(token.length < 255)
})
