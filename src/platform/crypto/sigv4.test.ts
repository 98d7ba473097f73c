import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sigV4Headers } from './sigv4.ts'

const signatureOf = (headers: Record<string, string>) => /Signature=(\w+)$/.exec(headers['authorization'] ?? '')?.[1]

// The values of AWS's test suite for Signature Version 4.
suite('the test suite of AWS', () => {
  const key = {
    id: 'AKIDEXAMPLE',
    secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
    service: 'service',
  }
  const at = Date.UTC(2015, 7, 30, 12, 36)
  const SIGNED: [name: string, method: string, url: string, signature: string][] = [
    ['get-vanilla', 'GET', '/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    [
      'get-vanilla-query-order-key-case',
      'GET',
      '/?Param2=value2&Param1=value1',
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    ['post-vanilla', 'POST', '/', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ]
  for (const [name, method, path, signature] of SIGNED)
    test(name, () => {
      const headers = sigV4Headers(key, { method, url: `https://example.amazonaws.com${path}` }, at)
      assert.equal(headers['x-amz-date'], '20150830T123600Z')
      assert.equal(signatureOf(headers), signature)
      assert.match(
        headers['authorization']!,
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20150830\/us-east-1\/service\/aws4_request, SignedHeaders=host;x-amz-date, /,
      )
    })
})

// The examples of the documentation of S3.
suite('the examples of S3', () => {
  const key = {
    id: 'AKIAIOSFODNN7EXAMPLE',
    secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
    service: 's3',
  }
  const at = Date.UTC(2013, 4, 24)
  const sign = (path: string, method = 'GET', body?: string) =>
    sigV4Headers(key, { method, url: `https://examplebucket.s3.amazonaws.com${path}`, body }, at)

  test('a list of objects', () =>
    assert.equal(
      signatureOf(sign('/?max-keys=2&prefix=J')),
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ))

  test('a part of an object', () => {
    const url = 'https://examplebucket.s3.amazonaws.com/test.txt'
    const headers = sigV4Headers(key, { method: 'GET', url, headers: { range: 'bytes=0-9' } }, at)
    assert.equal(signatureOf(headers), 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41')
  })

  test('an object with an encoded name', () => {
    const url = 'https://examplebucket.s3.amazonaws.com/test%24file.text'
    const covered = { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' }
    const headers = sigV4Headers(key, { method: 'PUT', url, headers: covered, body: 'Welcome to Amazon S3.' }, at)
    assert.equal(signatureOf(headers), '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd')
  })

  test('a parameter without a value', () =>
    assert.equal(signatureOf(sign('/?lifecycle')), 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'))

  test('a stream is sent without a signature of its content, and a session has its token', () => {
    assert.equal(sign('/a', 'PUT')['x-amz-content-sha256'], 'UNSIGNED-PAYLOAD')
    assert.match(sign('/a', 'PUT', 'x')['x-amz-content-sha256']!, /^2d711642/)
    const headers = sigV4Headers({ ...key, session: 'S' }, { method: 'GET', url: 'https://a.s3.amazonaws.com/' }, at)
    assert.equal(headers['x-amz-security-token'], 'S')
    assert.match(headers['authorization']!, /SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,/)
  })

  test('a path is encoded once, and elsewhere twice', () => {
    const other = (path: string, service: string) =>
      signatureOf(sigV4Headers({ ...key, service }, { method: 'GET', url: `https://a.example${path}` }, at))
    assert.equal(other('/a%20b', 's3'), other('/a b', 's3'))
    assert.notEqual(other('/a%20b', 'ses'), other('/a%2520b', 'ses'))
    assert.notEqual(other('/a%20b', 'ses'), other('/a%20b', 's3'))
  })
})
