import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isSecretName, redact, redactText } from './redact.ts'

const CANARY = 'c4n4ry-Do-Not-Show-7731'
const TOKEN_BODY = 'Zq7Rm2Xk9Vb4Nc8Ld3Ws6Tf'
const hides = (value: unknown) => {
  const shown = JSON.stringify(redact(value))
  assert.ok(!shown.includes(CANARY), shown)
  assert.match(shown, /\[redacted\]/)
}

suite('redaction by name', () => {
  const names = [
    ['access_token', 'accessToken', 'Access-Token', 'refresh_token', 'oauth_token_secret', 'PRIVATE-TOKEN', 'token'],
    ['client_secret', 'webhookSecret', 'secret', 'password', 'PASSWORD', 'pass', 'X-API-Key', 'apiKey', 'private_key'],
    ['Authorization', 'proxy-authorization', 'Cookie', 'set-cookie', 'code_verifier', 'oauth_signature', 'dpop'],
    ['client_assertion', 'aws_secret_access_key', 'admin_token', 'TRIBUTARY_KEY', 'DATABASE_URL', 'code', 'state'],
  ].flat()
  for (const name of names) {
    test(`hides ${name} at any depth`, () => {
      hides({ [name]: CANARY })
      hides({ a: [{ b: { c: [{ [name]: CANARY }] } }] })
      hides({ [name]: { inner: [CANARY] } })
    })
  }

  test('leaves what is not secret', () => {
    const fields = {
      name: 'Ann',
      key: 'public-client-id',
      client_id: 'app_01m7f00qev0jxf8cdn6wbt1q3h',
      count: 3,
      none: null,
      yes: true,
      list: [1, 'two'],
      admin_token_file: '/data/admin-token',
      token_flow: true,
    }
    assert.deepEqual(redact(fields), fields)
  })

  test('tells an error code and a profile state from an OAuth code and state', () => {
    for (const plainly of ['ECONNREFUSED', '57P01', 'ERR_SOCKET_CLOSED', 'config_invalid'])
      assert.deepEqual(redact({ code: plainly }), { code: plainly })
    assert.deepEqual(redact({ code: 137, state: 'needs_auth' }), { code: 137, state: 'needs_auth' })
    for (const secret of ['SplxlOBeZQQYbYS6WxSbIA', '4/P7q7W91a-oMsCeLvIaQm6bTrgtp7', 'af0ifjsldkj9'])
      assert.deepEqual(redact({ code: secret, state: secret }), { code: '[redacted]', state: '[redacted]' })
  })

  test('a name that was guessed wrong is not secret', () => {
    for (const name of ['tokenise', 'monkey', 'encoded', 'statement', 'coder']) assert.equal(isSecretName(name), false)
  })
})

suite('redaction in free text', () => {
  const texts: Record<string, string> = {
    'a query': `GET /oauth?client_id=1&client_secret=${CANARY}&x=2`,
    'a code in a query': `https://app.test/cb?code=${CANARY}&state=${CANARY}`,
    'a code that looks like an error code in a query': 'https://app.test/cb?code=ABCDE',
    'a fragment': `https://app.test/cb#access_token=${CANARY}&account=1`,
    'a one-time code as a number': '{"code":482913}',
    'a one-time code in prose': 'the code: 4829',
    'a short code in a query': 'https://app.test/cb?code=89',
    'a short code in an inspected object': '{ code: 4829 }',
    'a short state': '{"state":"4829"}',
    'a form body': `grant_type=authorization_code&code=${CANARY}`,
    'a form body from its start': `password=${CANARY}&b=1`,
    'JSON text': `{"a":1,"refresh_token":"${CANARY}","b":2}`,
    'JSON text with spaces': `{ "password" : "${CANARY} and more ${CANARY}" }`,
    'JSON text with an escaped quote': String.raw`{"password":"ab\"${CANARY}"}`,
    'JSON text inside JSON text': JSON.stringify({ body: JSON.stringify({ token: `${CANARY} x ${CANARY}` }) }),
    'an inspected object': `{ secret: '${CANARY}', other: 1 }`,
    'a header': `Authorization: Token ${CANARY}`,
    'a bearer header': `authorization: Bearer ${CANARY}`,
    'a cookie with several crumbs': `Cookie: a=${CANARY}; b=${CANARY}\nHost: x`,
    'a header in JSON': `{"headers":{"Cookie":"a=${CANARY}; b=${CANARY}"}}`,
    'an OAuth 1 header': `OAuth oauth_consumer_key="k", oauth_token="${CANARY}", oauth_signature="${CANARY}"`,
    'a bearer token in prose': `the service refused Bearer ${CANARY} today`,
    'basic credentials in prose': `sent Basic ${Buffer.from(`id:${CANARY}`).toString('base64')}`,
    'a database address': `connect postgres://ann:${CANARY}@db.test:5432/x failed`,
    'a database address without a name': `redis://:${CANARY}@db.test`,
    'a database address with a raw at-sign': `postgres://ann:${CANARY}@${CANARY}@db.test/x`,
    'a token as the name in an address': `fetch https://${CANARY}@git.test/x.git`,
    'an app secret of ours': 'wrong trs_8bqm3dkdsxevhnqq9ct7v5exs5vr9rg0qpsp9chv2axg91xqb1sg given',
    'an admin token of ours': 'x=tra_8bqm3dkdsxevhnqq9ct7v5exs5vr9rg0qpsp9chv2axg91xqb1sg',
    'a JWT': 'id eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U.',
    'a token of GitHub in a path': `/echo/gho_${TOKEN_BODY}/x`,
    'a fine-grained token of GitHub': `/x/github_pat_${TOKEN_BODY}_${TOKEN_BODY}`,
    'a token of Slack': `/xoxb-1234567890-${TOKEN_BODY}`,
    'a token of Google': `/ya29.${TOKEN_BODY}-x_y`,
    'a token of Facebook': `/me/EAA${TOKEN_BODY}${TOKEN_BODY}`,
    'a token of Dropbox': `/2/sl.u.${TOKEN_BODY}${TOKEN_BODY}/x`,
    'a percent-encoded token': `/echo/%67h%6F_${TOKEN_BODY}`,
    'a token that is percent-encoded twice': `/echo/%2567%68o_${TOKEN_BODY}`,
    'a token after bytes that are not UTF-8': `/echo/%ff%2fgho%5F${TOKEN_BODY}`,
    'a query inside a parameter': `/x?to=https%3A%2F%2Fapp.test%2F%3Fcode%3D${CANARY}`,
    'a webhook secret': 'signed with whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  }
  for (const [what, text] of Object.entries(texts)) {
    test(`hides ${what}`, () => {
      const shown = redactText(text)
      assert.ok(!shown.includes(CANARY), shown)
      assert.match(shown, /\[redacted\]/)
      assert.doesNotMatch(shown, /trs_|tra_8b|eyJ|whsec_M|ABCDE|4829|=89|Zq7Rm2/)
    })
  }

  test('hides given secrets by their value, however they are encoded', () => {
    const secret = 'pass/wörd+1'
    for (const form of [
      secret,
      encodeURIComponent(secret),
      encodeURIComponent(encodeURIComponent(secret)),
      '%70ass/wörd+1',
    ])
      assert.equal(redactText(`/a/${form}/b`, [undefined, secret]), '/a/[redacted]/b')
    assert.equal(redactText('/a%0Ab/%70ass/wörd+1', [secret]), '/a%0Ab/[redacted]')
    assert.equal(redactText('/abc/de%2Ff', ['abc', '']), '/abc/de%2Ff')
  })

  test('keeps JSON text readable as JSON', () => {
    const shown = redactText(JSON.stringify({ token: 'a b"c', list: [{ password: 'p,q}r' }], keep: 'x' }))
    assert.deepEqual(JSON.parse(shown), { token: '[redacted]', list: [{ password: '[redacted]' }], keep: 'x' })
  })

  for (const text of [
    'connect ECONNREFUSED 127.0.0.1:5432',
    "{ code: 'ECONNREFUSED', errno: -111 }",
    '{"errors":[{"code":89,"message":"Invalid or expired token"}]}',
    '{"error":{"type":"OAuthException","code": 190,"error_subcode":463}}',
    '{"code":"1002"}',
    '{"code":-32600}',
    JSON.stringify({ body: '{"code":89}' }),
    'the OAuth callback failed: code: 57P01',
    'Basic information about the Bearer token of OAuth 1.0a and OAuth 2.0',
    'at file:///srv/src/store/database.ts:12:5',
    'https://tributary.test/types/photos?limit=20&near=52.5,13.4',
    'app_01m7f00qev0jxf8cdn6wbt1q3h has no keys for github',
    'a time such as 12:30:01 and a ratio 3:4',
    '/files/caf%C3%A9%20100%25/%zz/%ff',
    '/repos/ada/task_ghost_of_a_very_long_name/sl.very-long-host-name.example.com',
  ]) {
    test(`leaves “${text}” alone`, () => assert.equal(redactText(text), text))
  }

  test('survives long texts of every shape', () => {
    for (const unit of ['a', 'a=', 'a ', ' ', '"', '\\"', "'", 'a:', 'https://', 'tr', 'Bearer ', '{"a":', 'eyJ'])
      assert.equal(typeof redactText(unit.repeat(100_000)), 'string')
  })
})

suite('redaction of things', () => {
  test('an error with its causes, stack and code', () => {
    const inner = Object.assign(new Error(`password=${CANARY}`), { code: 'ECONNREFUSED' })
    const outer = new Error(`GET https://x.test/?access_token=${CANARY}`, {
      cause: new AggregateError([inner], 'both', { cause: { token: CANARY } }),
    })
    hides({ error: outer })
    const shown = redact(outer) as { stack: string; cause: { errors: { code: string }[] } }
    assert.equal(shown.cause.errors[0]?.code, 'ECONNREFUSED')
    assert.match(shown.stack, /redact\.test\.ts/)
  })

  test('times and addresses stay what they are', () => {
    assert.deepEqual(redact({ at: new Date(0), to: new URL(`https://x.test/?token=${CANARY}`) }), {
      at: '1970-01-01T00:00:00.000Z',
      to: 'https://x.test/?token=[redacted]',
    })
  })

  test('bytes are counted, never shown', () => {
    assert.deepEqual(redact({ body: Buffer.from(CANARY) }), { body: `[${CANARY.length} bytes]` })
  })

  test('a name that is a token itself', () => {
    assert.deepEqual(redact({ trs_8bqm3dkdsxevhnqq9ct7v5exs5vr9rg0: 1 }), { '[redacted]': 1 })
  })

  test('circles, depth and big numbers end', () => {
    const circle: Record<string, unknown> = { big: 2n ** 70n }
    circle['self'] = circle
    const text = JSON.stringify(redact(circle))
    assert.match(text, /\[deep\]/)
    assert.match(text, /1180591620717411303424/)
  })

  test('S50 a __proto__ key is data and touches nothing', () => {
    redact(JSON.parse('{"__proto__":{"polluted":true}}'))
    assert.equal(({} as { polluted?: boolean }).polluted, undefined)
  })
})
