import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { authorization, sha256Hex } from './aws-signature.ts'

// The examples that AWS published: the signature test suite (service "service"), and the pages on signing requests to S3.
const GENERAL = {
  keyId: 'AKIDEXAMPLE',
  secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 'service',
}
const S3 = {
  keyId: 'AKIAIOSFODNN7EXAMPLE',
  secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 's3',
}
const EMPTY = sha256Hex('')

function signatureOf(
  signer: typeof S3,
  method: string,
  url: string,
  headers: Record<string, string>,
  payloadHash: string,
): string {
  return authorization(signer, { method, url: new URL(url), headers, payloadHash }).replace(/^.*Signature=/, '')
}

suite('AWS signature version 4', () => {
  const general = { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' }
  for (const [name, method, url, signature] of [
    ['get-vanilla', 'GET', '/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    [
      'get-vanilla-query-order-key-case',
      'GET',
      '/?Param2=value2&Param1=value1',
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    ['post-vanilla', 'POST', '/', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ] as const) {
    test(name, () => {
      assert.equal(signatureOf(GENERAL, method, `https://example.amazonaws.com${url}`, general, EMPTY), signature)
    })
  }

  const day = '20130524T000000Z'
  const bucket = 'examplebucket.s3.amazonaws.com'
  test('GET object with a range', () => {
    const headers = { host: bucket, range: 'bytes=0-9', 'x-amz-content-sha256': EMPTY, 'x-amz-date': day }
    assert.equal(
      signatureOf(S3, 'GET', `https://${bucket}/test.txt`, headers, EMPTY),
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    )
  })

  test('PUT object, with an encoded name', () => {
    const payload = sha256Hex('Welcome to Amazon S3.')
    const headers = {
      host: bucket,
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-content-sha256': payload,
      'x-amz-date': day,
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    }
    assert.equal(
      signatureOf(S3, 'PUT', `https://${bucket}/test%24file.text`, headers, payload),
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    )
  })

  test('GET bucket lifecycle: a parameter without a value', () => {
    const headers = { host: bucket, 'x-amz-content-sha256': EMPTY, 'x-amz-date': day }
    assert.equal(
      signatureOf(S3, 'GET', `https://${bucket}/?lifecycle`, headers, EMPTY),
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    )
  })

  test('GET bucket list', () => {
    const headers = { host: bucket, 'x-amz-content-sha256': EMPTY, 'x-amz-date': day }
    assert.equal(
      signatureOf(S3, 'GET', `https://${bucket}/?max-keys=2&prefix=J`, headers, EMPTY),
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    )
  })
})
