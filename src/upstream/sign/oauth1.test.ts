import assert from 'node:assert/strict'
import { generateKeyPairSync, verify } from 'node:crypto'
import { test } from 'node:test'
import { percentEncode } from '#platform/formats/percent-encode.ts'
import { type OAuth1Options, signOAuth1 } from './oauth1.ts'
import { formPairs, normalizeParameters, signatureBaseString } from './oauth1-base-string.ts'

const photos = { consumerKey: 'dpf43f3p2l4k3l03', realm: 'Photos', sendVersion: false } as const
const hmac = (tokenSecret?: string) =>
  ({ method: 'HMAC-SHA1', consumerSecret: 'kd94hf93k423kf44', tokenSecret }) as const

function signatureOf(header: string | undefined): string | undefined {
  return /oauth_signature="([^"]*)"/.exec(header ?? '')?.[1]
}

function baseStringOf(url: string, formBody = ''): string {
  const parsed = new URL(url)
  return signatureBaseString('get', parsed, [...formPairs(parsed.search.slice(1)), ...formPairs(formBody)])
}

test('S28 RFC 5849 section 1.2: temporary credentials', () => {
  const signed = signOAuth1(
    {
      ...photos,
      key: hmac(),
      nonce: 'wIjqoS',
      nowMs: 137131200_000,
      extra: { oauth_callback: 'http://printer.example.com/ready' },
    },
    { method: 'POST', url: 'https://photos.example.net/initiate' },
  )
  assert.equal(
    signed.headers['authorization'],
    'OAuth realm="Photos", oauth_consumer_key="dpf43f3p2l4k3l03", oauth_signature_method="HMAC-SHA1", ' +
      'oauth_timestamp="137131200", oauth_nonce="wIjqoS", oauth_callback="http%3A%2F%2Fprinter.example.com%2Fready", ' +
      'oauth_signature="74KNZJeDHnMBp0EMJ9ZHt%2FXKycU%3D"',
  )
})

test('S28 RFC 5849 section 1.2: token credentials and the protected photo', () => {
  const token = signOAuth1(
    {
      ...photos,
      key: hmac('hdhd0244k9j7ao03'),
      token: 'hh5s93j4hdidpola',
      nonce: 'walatlh',
      nowMs: 137131201_000,
      extra: { oauth_verifier: 'hfdp7dh39dks9884' },
    },
    { method: 'POST', url: 'https://photos.example.net/token' },
  )
  assert.equal(signatureOf(token.headers['authorization']), 'gKgrFCywp7rO0OXSjdot%2FIHF7IU%3D')
  const photo = signOAuth1(
    { ...photos, key: hmac('pfkkdhi9sl3r4s00'), token: 'nnch734d00sl2jdk', nonce: 'chapoH', nowMs: 137131202_999 },
    { method: 'GET', url: 'http://photos.example.net/photos?file=vacation.jpg&size=original' },
  )
  assert.equal(signatureOf(photo.headers['authorization']), 'MdpQcU8iPSUjWoN%2FUDMsK2sui9I%3D')
})

const section341 = [
  ...formPairs('b5=%3D%253D&a3=a&c%40=&a2=r%20b'),
  ...formPairs('oauth_consumer_key=9djdj82h48djs9d2&oauth_token=kkk9d7dh3k39sjv7&oauth_signature_method=HMAC-SHA1'),
  ...formPairs('oauth_timestamp=137131201&oauth_nonce=7d8f3e4a&oauth_signature=bYT5CMsGcbgUdFHObYMEfcx6bsw%3D'),
  ...formPairs('c2&a3=2+q'),
]

test('S28 RFC 5849 section 3.4.1.1: the base string, byte for byte', () => {
  assert.equal(
    signatureBaseString('post', new URL('http://EXAMPLE.COM:80/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b'), section341),
    'POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q' +
      '%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D%26oauth_consumer_' +
      'key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_m' +
      'ethod%3DHMAC-SHA1%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk' +
      '9d7dh3k39sjv7',
  )
})

test('S28 RFC 5849 section 3.4.1.3.2: the normalised parameters', () => {
  assert.equal(
    normalizeParameters(section341),
    'a2=r%20b&a3=2%20q&a3=a&b5=%3D%253D&c%40=&c2=&oauth_consumer_key=9djdj82h48djs9d2&oauth_nonce=7d8f3e4a' +
      '&oauth_signature_method=HMAC-SHA1&oauth_timestamp=137131201&oauth_token=kkk9d7dh3k39sjv7',
  )
})

test('S28 RFC 5849 section 3.4.1.2: scheme, host and port', () => {
  const uriOf = (url: string) => decodeURIComponent(baseStringOf(url).split('&')[1]!)
  assert.equal(uriOf('HTTP://EXAMPLE.COM:80/r%20v/X?id=123'), 'http://example.com/r%20v/X')
  assert.equal(uriOf('https://www.example.net:8080/?q=1'), 'https://www.example.net:8080/')
  assert.equal(uriOf('https://example.net:443'), 'https://example.net/')
  assert.equal(uriOf('http://example.net:443/a//b%2Fc;d=e/'), 'http://example.net:443/a//b%2Fc;d=e/')
  assert.equal(uriOf('https://[2001:DB8::1]:443/x#part'), 'https://[2001:db8::1]/x')
})

test('names sort before values, by their encoded bytes', () => {
  assert.equal(
    normalizeParameters(formPairs('a=2&a-=1&a=10&a=1&A=9&a.b=0&%C3%A9=1&z')),
    '%C3%A9=1&A=9&a=1&a=10&a=2&a-=1&a.b=0&z=',
  )
})

test('S28 unicode, empty, repeated and malformed parameters keep their meaning', () => {
  const normalized = (encoded: string) => normalizeParameters(formPairs(encoded))
  assert.equal(normalized('n=%e2%98%83&n=☃'), 'n=%E2%98%83&n=%E2%98%83')
  assert.equal(normalized('a=&a&=b&=&&a='), '=&=b&a=&a=&a=')
  assert.equal(normalized('a=b=c&d=%7e%2d%5F'), 'a=b%3Dc&d=~-_')
  assert.equal(normalized("m=!'()*"), 'm=%21%27%28%29%2A')
  assert.equal(normalized('bytes=%ff%FE&stray=100%&half=%4'), 'bytes=%FF%FE&half=%254&stray=100%25')
  assert.equal(normalized('a+b=c+d&a%2Bb=c%2bd'), 'a%20b=c%20d&a%2Bb=c%2Bd')
  assert.equal(percentEncode('Ladies + Gentlemen, 😀 ~'), 'Ladies%20%2B%20Gentlemen%2C%20%F0%9F%98%80%20~')
})

const plain: OAuth1Options = {
  consumerKey: 'k e&y',
  key: { method: 'PLAINTEXT', consumerSecret: 'a&b', tokenSecret: 'ü' },
  token: 't',
  nonce: 'n',
  nowMs: 1_700_000_000_500,
}

test('PLAINTEXT sends the encoded secrets, encoded again for the header', () => {
  const signed = signOAuth1(plain, { method: 'GET', url: 'https://example.net/a' })
  assert.equal(signatureOf(signed.headers['authorization']), 'a%2526b%26%25C3%25BC')
  assert.match(
    signed.headers['authorization']!,
    /^OAuth oauth_consumer_key="k%20e%26y", oauth_token="t", .*oauth_version="1.0", /,
  )
})

test('S28 RSA signatures verify with the public key over the base string', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  for (const method of ['RSA-SHA1', 'RSA-SHA256'] as const) {
    const options = { ...plain, key: { method, privateKey } }
    const signed = signOAuth1(options, { method: 'POST', url: 'https://example.net/a?x=1', formBody: 'y=2' })
    const sent = [...signed.headers['authorization']!.matchAll(/(\w+)="([^"]*)"/g)].map((m) => [m[1]!, m[2]!] as const)
    const base = signatureBaseString('POST', new URL('https://example.net/a'), [...sent, ['x', '1'], ['y', '2']])
    const signature = Buffer.from(decodeURIComponent(signatureOf(signed.headers['authorization'])!), 'base64')
    assert.equal(verify(method, Buffer.from(base), publicKey, signature), true, method)
    assert.equal(verify(method, Buffer.from(`${base}x`), publicKey, signature), false, method)
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
    const fromText = signOAuth1(
      { ...plain, key: { method, privateKey: pem } },
      { method: 'POST', url: 'https://example.net/a?x=1', formBody: 'y=2' },
    )
    assert.deepEqual(fromText, signed)
  }
})

test('the three carriers sign the same parameters', () => {
  const options = { ...plain, key: { method: 'HMAC-SHA256', consumerSecret: 'c' } } as const
  const request = { method: 'POST', url: 'https://example.net/a?x=1#part', formBody: 'y=2' }
  const header = signOAuth1(options, request)
  const query = signOAuth1({ ...options, carrier: 'query' }, request)
  const body = signOAuth1({ ...options, carrier: 'body' }, request)
  const signature = signatureOf(header.headers['authorization'])
  assert.equal(header.url, 'https://example.net/a?x=1')
  assert.equal(header.formBody, 'y=2')
  assert.ok(query.url.startsWith('https://example.net/a?x=1&oauth_consumer_key=k%20e%26y&oauth_token=t&'))
  assert.ok(query.url.endsWith(`&oauth_signature=${signature}`))
  assert.deepEqual(query.headers, {})
  assert.ok(body.formBody!.startsWith('y=2&oauth_consumer_key=k%20e%26y&'))
  assert.ok(body.formBody!.endsWith(`&oauth_signature=${signature}`))
  assert.equal(body.headers['content-type'], 'application/x-www-form-urlencoded')
  const bare = { method: 'POST', url: 'https://example.net/a' }
  assert.ok(
    signOAuth1({ ...options, carrier: 'query' }, bare).url.startsWith('https://example.net/a?oauth_consumer_key='),
  )
  assert.ok(signOAuth1({ ...options, carrier: 'body' }, bare).formBody!.startsWith('oauth_consumer_key='))
})

test('the realm is quoted and cannot break out of its header', () => {
  const header = (realm: string) =>
    signOAuth1({ ...plain, realm }, { method: 'GET', url: 'https://example.net/' }).headers['authorization']
  assert.match(header('a "b" \\c')!, /^OAuth realm="a \\"b\\" \\\\c", /)
  assert.throws(() => header('a\r\nx: y'), RangeError)
})
