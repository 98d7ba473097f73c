import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import * as fc from 'fast-check'
import { type OAuth1Options, type OAuth1Request, type SignedRequest, signOAuth1 } from './oauth1.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const nonEmpty = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
const formName = nonEmpty.filter((name) => !/^oauth_|realm/.test(name))

// Clients encode the same form differently: plus or %20, upper or lower hex, punctuation encoded or not, empty values
// without "=".
const spellings: ((part: string) => string)[] = [
  encodeURIComponent,
  (part) => encodeURIComponent(part).replaceAll('%20', '+'),
  (part) => encodeURIComponent(part).replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
  (part) => [...Buffer.from(part)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
]
const form = fc
  .array(fc.tuple(formName, text, fc.constantFrom(...spellings), fc.boolean()), { maxLength: 6 })
  .chain((pairs) => fc.shuffledSubarray([...pairs, ...pairs.slice(0, 2)]))
  .map((pairs) =>
    pairs
      .map(([name, value, spell, bare]) => (bare && value === '' ? spell(name) : `${spell(name)}=${spell(value)}`))
      .join('&'),
  )

const anyRequest: fc.Arbitrary<OAuth1Request> = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'delete', 'Patch'),
    origin: fc.constantFrom(
      'https://api.example.net',
      'HTTP://API.Example.NET:80',
      'https://example.net:443',
      'http://example.net:8080',
    ),
    path: fc.array(
      text.map(encodeURIComponent).filter((segment) => !/^(\.|%2e)+$/i.test(segment)),
      { maxLength: 3 },
    ),
    query: form,
    formBody: fc.option(form, { nil: undefined }),
  })
  .map(({ method, origin, path, query, formBody }) => ({
    method,
    url: `${origin}/${path.join('/')}${query ? `?${query}` : ''}`,
    formBody,
  }))

const common = {
  consumerKey: nonEmpty,
  token: fc.option(nonEmpty, { nil: undefined }),
  nonce: nonEmpty,
  carrier: fc.constantFrom('header' as const, 'query' as const, 'body' as const),
  sendVersion: fc.boolean(),
  extra: fc.constantFrom({}, { oauth_verifier: 'v/1' }, { oauth_callback: 'https://app.example/?a=b&c=d' }),
}
const hmacKey = fc.record({
  method: fc.constantFrom('HMAC-SHA1' as const, 'HMAC-SHA256' as const, 'PLAINTEXT' as const),
  consumerSecret: nonEmpty,
  tokenSecret: text,
})

test('agrees with a second implementation that shares no code', () => {
  const secrets = { consumerSecret: nonEmpty, tokenSecret: text }
  fc.assert(
    fc.property(
      anyRequest,
      fc.record(common),
      fc.record(secrets),
      (request, options, { consumerSecret, tokenSecret }) => {
        const key = { method: 'HMAC-SHA1', consumerSecret, tokenSecret } as const
        const signed = signOAuth1({ ...options, key, nowMs: 1_700_000_000_000 }, request)
        assert.equal(sentSignature(signed), secondSignature(signed, consumerSecret, tokenSecret))
      },
    ),
    { numRuns: 500 },
  )
})

test('oauthlib accepts 300 random requests and refuses them with another secret', (t) => {
  const python = ['python3', '/usr/bin/python3'].find((name) => spawnSync(name, ['-c', 'import oauthlib']).status === 0)
  if (!python) return t.skip('python3-oauthlib is not installed')
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const publicKey = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const rsaKey = fc
    .constantFrom('RSA-SHA1' as const, 'RSA-SHA256' as const)
    .map((method) => ({ method, privateKey: rsa.privateKey }))
  // oauthlib needs two more packages for RSA.
  const keys =
    spawnSync(python, ['-c', 'import jwt, cryptography']).status === 0 ? fc.oneof(hmacKey, hmacKey, rsaKey) : hmacKey
  // oauthlib decodes oauth_ values from query and body twice, so a value with an escape can only be verified in the
  // header.
  const anyOptions: fc.Arbitrary<OAuth1Options> = fc
    .record({ ...common, key: keys, nowMs: fc.constant(Date.now()) })
    .map(withMatchingSecret)
    .map((options) => (mayHoldEscapes(options) ? { ...options, carrier: 'header' } : options))
  const samples = fc.sample(fc.tuple(anyRequest, anyOptions), 300)
  const questions = samples.flatMap(([request, options]) => {
    const good = question(signOAuth1(options, request), options, publicKey)
    return [good, { ...good, consumer_secret: `${good.consumer_secret}x`, public_key: foreignKey }]
  })
  const responses = askJudge(python, questions)
  assert.equal(responses.length, 600)
  for (const [index, response] of responses.entries()) {
    assert.deepEqual(response, { valid: index % 2 === 0, error: null }, JSON.stringify(questions[index]))
  }
})

const foreignKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .publicKey.export({ type: 'spki', format: 'pem' })
  .toString()

// A secret belongs to a token: oauthlib looks it up only if a token is sent.
function withMatchingSecret(options: OAuth1Options): OAuth1Options {
  if (options.token !== undefined || 'privateKey' in options.key) return options
  return { ...options, key: { ...options.key, tokenSecret: '' } }
}

function mayHoldEscapes(options: OAuth1Options): boolean {
  return (
    options.key.method === 'PLAINTEXT' || [options.consumerKey, options.token, options.nonce].join('').includes('%')
  )
}

function question(signed: SignedRequest, options: OAuth1Options, publicKey: string) {
  const shared = 'consumerSecret' in options.key ? options.key : undefined
  const contentType = signed.formBody === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
  return {
    method: signed.method,
    uri: signed.url,
    body: signed.formBody ?? '',
    headers: { ...contentType, ...signed.headers },
    consumer_secret: shared?.consumerSecret ?? '',
    token_secret: shared?.tokenSecret ?? '',
    public_key: publicKey,
  }
}

function askJudge(python: string, questions: object[]): unknown[] {
  const script = fileURLToPath(new URL('../../../test/real/oauthlib_verify.py', import.meta.url))
  const input = questions.map((line) => `${JSON.stringify(line)}\n`).join('')
  const run = spawnSync(python, [script], { input, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  assert.equal(run.status, 0, run.stderr)
  return run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
}

function sentPairs(signed: SignedRequest): [string, string][] {
  const header = signed.headers['authorization'] ?? ''
  const fromHeader = [...header.matchAll(/(\w+)="([^"]*)"/g)].map((m): [string, string] => [
    m[1]!,
    decodeURIComponent(m[2]!),
  ])
  return [...fromHeader, ...new URL(signed.url).searchParams, ...new URLSearchParams(signed.formBody ?? '')]
}

function sentSignature(signed: SignedRequest): string | undefined {
  return sentPairs(signed).find(([name]) => name === 'oauth_signature')?.[1]
}

function secondSignature(signed: SignedRequest, consumerSecret: string, tokenSecret: string): string {
  const encode = (part: string) =>
    [...Buffer.from(part, 'utf8')]
      .map((byte) =>
        /[\w.~-]/.test(String.fromCharCode(byte)) && byte < 128
          ? String.fromCharCode(byte)
          : `%${(byte + 256).toString(16).slice(1).toUpperCase()}`,
      )
      .join('')
  const sorted = sentPairs(signed)
    .filter(([name]) => name !== 'oauth_signature')
    .map(([name, value]) => ({ name: Buffer.from(encode(name)), value: Buffer.from(encode(value)) }))
    .sort((a, b) => Buffer.compare(a.name, b.name) || Buffer.compare(a.value, b.value))
  const parameters = sorted.map(({ name, value }) => `${name.toString()}=${value.toString()}`).join('&')
  const [, scheme, host, path] = /^(https?):\/\/([^/?]*)(\/[^?]*)/.exec(signed.url)!
  const base = `${signed.method.toUpperCase()}&${encode(`${scheme}://${host}${path}`)}&${encode(parameters)}`
  return createHmac('sha1', `${encode(consumerSecret)}&${encode(tokenSecret)}`)
    .update(base)
    .digest('base64')
}
