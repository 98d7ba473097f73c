import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linksIn, plainText } from './kind.ts'

test('links come without the sentence around them', () => {
  assert.deepEqual(linksIn('see https://a.example/x?y=1, (http://b.example/z)!? and https://c.example...'), [
    'https://a.example/x?y=1',
    'http://b.example/z',
    'https://c.example',
  ])
  assert.deepEqual(linksIn(null), [])
})

test('a text gives at most 200 links, none longer than 2,000 characters, none beyond 256 K', () => {
  assert.equal(linksIn('https://a.example/1 '.repeat(300)).length, 200)
  const longest = `https://a.example/${'x'.repeat(2000 - 18)}`
  assert.deepEqual(linksIn(`${longest}y ${longest}`), [longest])
  assert.deepEqual(linksIn(`${' '.repeat(256 * 1024)}https://a.example`), [])
})

test('HTML becomes text', () => {
  assert.equal(
    plainText(
      '<p>one &amp; <b>two</b></p>three<br/>four<script>var x = "</p>"</script> five <STYLE a>b{}</style><style>six',
    ),
    'one & two\nthree\nfour five six',
  )
  assert.equal(plainText('a < b and c > d <i>e</i>'), 'a d e')
  assert.equal(plainText('İ<script>alert(1)</script>'), 'İ')
})
