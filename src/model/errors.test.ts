import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { keysOf } from '#platform/formats/keys-of.ts'
import { ApiError, codeOfReason, REASONS, RETIRED_CODES } from './errors.ts'
import { describeError, OAUTH_WORDS, oauthWordOf } from './oauth-errors.ts'

/** What clients already compare. A line here is never changed or removed. */
const PUBLISHED = {
  bad_request: 40001,
  bad_parameter: 40002,
  bad_body: 40003,
  client_unknown: 40004,
  redirect_unregistered: 40005,
  session_expired: 40006,
  code_invalid: 40007,
  same_account: 40008,
  token_conflict: 40009,
  parameter_unknown: 40010,
  link_invalid: 40011,
  token_missing: 40101,
  token_invalid: 40102,
  app_secret_invalid: 40103,
  service_refused: 40104,
  hook_refused: 40105,
  admin_token_invalid: 40106,
  needs_auth: 40301,
  other_app: 40302,
  app_unproven: 40303,
  service_not_offered: 40310,
  no_profile: 40401,
  service_unknown: 40402,
  no_service_keys: 40403,
  not_found: 40404,
  no_media: 40405,
  method_not_allowed: 40501,
  request_timeout: 40801,
  already_exists: 40901,
  profile_paused: 40902,
  app_has_accounts: 40903,
  endpoint_retired: 41001,
  body_too_large: 41301,
  too_many_contacts: 41302,
  quota_reached: 41303,
  media_type_unsupported: 41501,
  too_many_attempts: 42901,
  too_many_sign_ins: 42902,
  service_limited: 42903,
  headers_too_large: 43101,
  internal: 50001,
  service_unreachable: 50201,
  destination_failed: 50202,
  database_unavailable: 50301,
  service_timeout: 50401,
  storage_full: 50701,
} as const

const reasons = keysOf(REASONS)

suite('codes of errors', () => {
  test('are unique, also among those of reasons that are gone', () => {
    const used = new Map<number, string>(RETIRED_CODES.map((code) => [code, 'a reason that is gone']))
    for (const reason of reasons) {
      const [status, number] = REASONS[reason]
      const code = codeOfReason(reason)
      let free = 1
      while ([...used.keys(), ...reasons.map(codeOfReason)].includes(status * 100 + free)) free += 1
      assert.ok(number >= 1 && number <= 99, `${reason}: ${number} is not from 1 to 99`)
      const problem = `${reason}: the number ${number} of status ${status} belongs to ${used.get(code)}; the next free one is ${free}`
      assert.equal(used.get(code), undefined, problem)
      used.set(code, reason)
    }
  })

  test('never change', () => {
    for (const reason of keysOf(PUBLISHED)) assert.equal(codeOfReason(reason), PUBLISHED[reason], reason)
  })

  test('belong to an error like its status', () => {
    const error = new ApiError('bad_parameter', 'limit: is empty.', { param: 'limit' })
    assert.deepEqual([error.status, error.code, error.param], [400, 40002, 'limit'])
  })
})

suite('the words of OAuth', () => {
  const wordOf = (...args: ConstructorParameters<typeof ApiError>) => oauthWordOf(new ApiError(...args))

  test('every reason has one', () => {
    for (const reason of reasons) assert.ok(OAUTH_WORDS.includes(wordOf(reason)), reason)
  })

  test('are those that RFC 6749 and RFC 6750 define for the case', () => {
    assert.equal(wordOf('app_secret_invalid'), 'invalid_client')
    assert.equal(wordOf('code_invalid'), 'invalid_grant')
    assert.equal(wordOf('token_invalid'), 'invalid_token')
    assert.equal(wordOf('bad_body'), 'invalid_request')
    assert.equal(wordOf('bad_body', 'x', { param: 'grant_type' }), 'unsupported_grant_type')
    assert.equal(wordOf('bad_parameter', 'x', { param: 'response_type' }), 'unsupported_response_type')
    assert.equal(wordOf('bad_parameter', 'x', { param: 'scope' }), 'invalid_scope')
    assert.equal(wordOf('bad_parameter', 'x', { param: '__proto__' }), 'invalid_request')
    assert.equal(wordOf('too_many_attempts'), 'temporarily_unavailable')
    assert.equal(wordOf('database_unavailable'), 'temporarily_unavailable')
    assert.equal(wordOf('internal'), 'server_error')
  })

  test('a description has only the characters that the RFCs allow, and is bounded', () => {
    assert.equal(describeError('The “x” isn’t "y" \\ …\r\n\0ä'), "The 'x' isn't 'y' ? ...????")
    assert.equal(describeError('x'.repeat(10_000)).length, 300)
    assert.match(describeError('🎉\u{7f}'), /^[ -~]+$/)
  })
})
