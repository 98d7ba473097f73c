import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { browserName } from './browser-name.ts'

suite('a browser as people call it', () => {
  test('by its own name, though it names others', () => {
    const engine = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)'
    assert.equal(browserName(`${engine} Chrome/140.0.0.0 Safari/537.36`), 'Chrome 140 on Windows')
    assert.equal(
      browserName('Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0'),
      'Firefox 141 on Linux',
    )
  })

  test('a program by the beginning of what it sends', () => {
    assert.equal(browserName('curl/8.5.0'), 'curl/8.5.0')
    assert.equal(browserName('x'.repeat(100)).length, 40)
  })
})
