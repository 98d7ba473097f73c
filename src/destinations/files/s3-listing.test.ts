import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readListing } from './s3-listing.ts'

/** As Amazon documents it. */
const listing = (keys: string[], token = '') => `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
  <Name>bucket</Name>
  <Prefix>p/</Prefix>
  <KeyCount>${keys.length}</KeyCount>
  <MaxKeys>1000</MaxKeys>
  <IsTruncated>${token !== ''}</IsTruncated>
  ${keys
    .map(
      (key) => `<Contents>
    <Key>${key}</Key>
    <LastModified>2009-10-12T17:50:30.000Z</LastModified>
    <ETag>"fba9dede5f27731c9771645a39863328"</ETag>
    <Size>434234</Size>
    <StorageClass>STANDARD</StorageClass>
  </Contents>`,
    )
    .join('\n')}
  <NextContinuationToken>${token}</NextContinuationToken>
</ListBucketResult>`

suite('a listing of S3', () => {
  test('has names and the token of the next page', () => {
    assert.deepEqual(readListing(listing(['p/a', 'p/b'], '1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM='), 'p/', 2), {
      keys: ['p/a', 'p/b'],
      token: '1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM=',
    })
    assert.deepEqual(readListing(listing([]), 'p/', 2), { keys: [], token: undefined })
    assert.deepEqual(readListing('<ListBucketResult/>', 'p/', 2), { keys: [], token: undefined })
  })

  test('has names exactly as they are', () => {
    const written = ['p/R&amp;B&#x26;&#38;', 'p/&lt;a&gt;&quot;&apos;', 'p/ a ', 'p/<![CDATA[<&amp;>]]>', 'p/&eacute;']
    const { keys } = readListing(listing(written), 'p/', 10)
    assert.deepEqual(keys, ['p/R&B&&', `p/<a>"'`, 'p/ a ', 'p/<&amp;>', 'p/&eacute;'])
  })

  test('is refused when it is something else, or not what was asked for', () => {
    for (const text of [
      '',
      'x',
      '<html>',
      '<Error><Code>SlowDown</Code></Error>',
      '<ListBucketResult>',
      '<Key>p/a</Key>',
    ])
      assert.throws(
        () => readListing(text, 'p/', 2),
        /^DeliveryError: The store listed something that is not a listing\./,
      )
    assert.throws(() => readListing(listing(['p/a', 'p/b', 'p/c']), 'p/', 2), /more than the 2 names/)
    for (const name of ['q/a', 'p/../q', 'p/.', ''])
      assert.throws(() => readListing(listing([name]), 'p/', 2), /not asked/)
    assert.throws(() => readListing(listing([], 't'.repeat(4097)), 'p/', 2), /a token that is too long/)
  })
})
