import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { basic } from './auth.ts'
import { localId, nativeIdOn } from './server-native-id.ts'
import { typed } from './typed.ts'
import { describeFault, MAX_TYPED_CHARS, publicValues, readTyped } from './typed-values.ts'

const fields = {
  site: { title: 'Site', format: 'address' },
  host: { title: 'Host', format: 'host', optional: true },
  key: { title: 'API key', pattern: /sk_\w+/, secret: true },
} as const

suite('typed values', () => {
  test('addresses and hosts are written in one way', () => {
    const site = (text: string) => readTyped(fields, { site: text, key: 'sk_1' }).values['site']
    assert.equal(site(' Blog.Example/News/?x=1#y '), 'https://blog.example/News')
    assert.equal(site('http://blog.example:8080/'), 'http://blog.example:8080')
    assert.equal(site('bücher.example'), 'https://xn--bcher-kva.example')
    for (const wrong of ['ftp://a.test', 'https://u:p@a.test', 'https://', 'a b'])
      assert.equal(site(wrong), undefined, wrong)
    const host = (text: string) => readTyped(fields, { site: 'a.test', key: 'sk_1', host: text }).values['host']
    assert.deepEqual(
      [host('A.test:81'), host('https://a.test/'), host('a.test/path')],
      ['a.test:81', 'a.test', undefined],
    )
  })

  test('a pattern is for the whole value, and no fault repeats it', () => {
    for (const key of ['pk_1', 'sk_1 x', 'x sk_1', 'sk_1\u0007', `sk_${'a'.repeat(MAX_TYPED_CHARS)}`]) {
      const { values, faults } = readTyped(fields, { site: 'a.test', key })
      assert.equal(values['key'], undefined)
      assert.ok(!describeFault(fields['key'], faults['key']!).includes(key))
    }
    assert.equal(readTyped(fields, { site: 'a.test' }).faults['key'], 'empty')
    assert.equal(readTyped(fields, { key: ['sk_1'] }).faults['site'], 'empty')
    assert.equal(describeFault(fields['key'], 'empty'), 'Enter API key.')
    assert.equal(describeFault(fields['site'], 'empty'), 'Enter site.')
  })

  test('secrets are not public', () => {
    assert.deepEqual(publicValues(fields, { site: 'https://a.test', key: 'sk_1' }), { site: 'https://a.test' })
  })
})

suite('ids on servers that people name', () => {
  const auth = typed({ fields, placement: {} })
  test('name the server, and lead back to its own id', () => {
    const id = nativeIdOn(auth, { site: 'https://a.test/x' }, 'me@home')
    assert.equal(id, 'me@home@a.test/x')
    assert.equal(localId(auth, id), 'me@home')
    assert.notEqual(nativeIdOn(auth, { site: 'https://a.test' }, '1'), nativeIdOn(auth, { site: 'http://a.test' }, '1'))
    const asked = typed({
      fields: { site: { title: 'Site', format: 'url' }, other: { title: 'Other', format: 'address', optional: true } },
      placement: {},
    })
    const ids = [
      { site: 'https://a.test/x' },
      { site: 'https://a.test/x?of=somebody' },
      { site: 'https://a.test/x,b.test' },
      { site: 'https://a.test/x', other: 'https://b.test' },
      { other: 'https://a.test/x' },
    ].map((values) => nativeIdOn(asked, values, '1'))
    assert.equal(new Set(ids).size, ids.length, 'every address that is called is a server of its own')
    const odd = nativeIdOn(auth, { site: 'https://a.test/x@b.test' }, '1')
    assert.equal(localId(auth, odd), '1', 'no path looks like another server')
  })

  test('are unchanged at a service with one address', () => {
    assert.equal(localId(basic(), 'me@home'), 'me@home')
  })
})
