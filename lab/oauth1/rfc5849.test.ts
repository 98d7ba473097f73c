import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePairs } from '../base/pairs.ts'
import { baseStringUri, normalizedParameters, signatureBaseString } from './base-string.ts'
import { percentEncode } from './percent.ts'
import { signatureMatches } from './signature.ts'

test('the base string of RFC 5849 3.4.1.1, with duplicates, an empty value and an encoded name', () => {
  const query = parsePairs('b5=%3D%253D&a3=a&c%40=&a2=r%20b')
  const body = parsePairs('c2&a3=2+q')
  const header = [
    ['oauth_consumer_key', '9djdj82h48djs9d2'],
    ['oauth_token', 'kkk9d7dh3k39sjv7'],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', '137131201'],
    ['oauth_nonce', '7d8f3e4a'],
  ] as const
  const uri = baseStringUri('http', 'EXAMPLE.COM:80', '/request')
  assert.equal(
    signatureBaseString('post', uri, [...query, ...body, ...header]),
    'POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7',
  )
})

test('the three signatures of RFC 5849 1.2', () => {
  const common = { oauth_consumer_key: 'dpf43f3p2l4k3l03', oauth_signature_method: 'HMAC-SHA1' }
  const clientSecret = 'kd94hf93k423kf44'
  const initiate = {
    ...common,
    oauth_timestamp: '137131200',
    oauth_nonce: 'wIjqoS',
    oauth_callback: 'http://printer.example.com/ready',
  }
  const base = signatureBaseString('POST', 'https://photos.example.net/initiate', Object.entries(initiate))
  assert.ok(signatureMatches('HMAC-SHA1', base, { clientSecret, tokenSecret: '' }, '74KNZJeDHnMBp0EMJ9ZHt/XKycU='))
  const exchange = {
    ...common,
    oauth_token: 'hh5s93j4hdidpola',
    oauth_timestamp: '137131201',
    oauth_nonce: 'walatlh',
    oauth_verifier: 'hfdp7dh39dks9884',
  }
  const second = signatureBaseString('POST', 'https://photos.example.net/token', Object.entries(exchange))
  assert.ok(
    signatureMatches(
      'HMAC-SHA1',
      second,
      { clientSecret, tokenSecret: 'hdhd0244k9j7ao03' },
      'gKgrFCywp7rO0OXSjdot/IHF7IU=',
    ),
  )
  const read = {
    ...common,
    oauth_token: 'nnch734d00sl2jdk',
    oauth_timestamp: '137131202',
    oauth_nonce: 'chapoH',
    file: 'vacation.jpg',
    size: 'original',
  }
  const third = signatureBaseString('GET', 'http://photos.example.net/photos', Object.entries(read))
  assert.ok(
    signatureMatches(
      'HMAC-SHA1',
      third,
      { clientSecret, tokenSecret: 'pfkkdhi9sl3r4s00' },
      'MdpQcU8iPSUjWoN/UDMsK2sui9I=',
    ),
  )
  assert.equal(
    signatureMatches('HMAC-SHA1', third, { clientSecret, tokenSecret: '' }, 'MdpQcU8iPSUjWoN/UDMsK2sui9I='),
    false,
  )
})

test('normalises ports, letter case and empty paths', () => {
  assert.equal(baseStringUri('http', 'Example.com:8080', '/A'), 'http://example.com:8080/A')
  assert.equal(baseStringUri('https', 'example.com:443', ''), 'https://example.com/')
  assert.equal(baseStringUri('https', 'example.com:80', '/'), 'https://example.com:80/')
})

test('encodes the reserved characters that encodeURIComponent does not, and sorts by encoded bytes', () => {
  assert.equal(percentEncode("!'()*~ é☃"), '%21%27%28%29%2A~%20%C3%A9%E2%98%83')
  assert.equal(
    normalizedParameters([
      ['b', '2'],
      ['a', '~'],
      ['a', 'é'],
      ['a', ''],
    ]),
    'a=&a=%C3%A9&a=~&b=2',
  )
})
