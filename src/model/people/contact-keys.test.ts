import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { contactKeys } from './contact-keys.ts'

const keys = (contact: { name?: string; handle?: string; email?: string; urls?: string[] }) => [
  ...new Set(contactKeys({ urls: [], ...contact })),
]

suite('the keys of a contact', () => {
  test('an e-mail address ignores case and spaces around it, and nothing else', () => {
    assert.deepEqual(keys({ email: ' Ann.Lee@Mail.Test ' }), ['email ann.lee@mail.test'])
    assert.notDeepEqual(keys({ email: 'annlee@mail.test' }), keys({ email: 'ann.lee@mail.test' }))
    for (const email of ['', ' ', 'ann', 'ann@', '@mail.test', 'ann@mail', 'a b@mail.test', 'a@b@c.test'])
      assert.deepEqual(keys({ email }), [], email)
  })

  test('a link ignores scheme, www, case, fragment and a slash at the end', () => {
    for (const url of [
      'https://ann.test/About',
      'HTTP://www.ANN.test/about/',
      'https://ann.test:443/about#me',
      ' https://ann.test/about ',
    ])
      assert.deepEqual(keys({ urls: [url] }), ['link ann.test/about'], url)
    assert.deepEqual(keys({ urls: ['https://ann.test', 'http://www.ann.test/'] }), ['link ann.test'])
    assert.deepEqual(keys({ urls: ['https://site.test/profile.php?id=5'] }), ['link site.test/profile.php?id=5'])
    for (const url of ['', 'ann.test', 'mailto:ann@mail.test', 'javascript:alert(1)', 'https://', '/ann'])
      assert.deepEqual(keys({ urls: [url] }), [], url)
  })

  test('handle and name count together, without case, accents and repeated spaces', () => {
    assert.deepEqual(keys({ handle: '@Ann', name: '  Änn   Lee ' }), ['name ann\nann lee'])
    assert.deepEqual(keys({ handle: 'ann', name: 'Ann Lee' }), ['name ann\nann lee'])
    for (const contact of [
      { handle: 'ann' },
      { name: 'Ann Lee' },
      { handle: '', name: 'Ann' },
      { handle: '@', name: 'Ann' },
    ])
      assert.deepEqual(keys(contact), [])
  })

  test('a name that only repeats the handle does not count', () => {
    for (const name of ['unknown', 'Unknown', '@unknown']) assert.deepEqual(keys({ handle: 'unknown', name }), [], name)
  })

  test('values that are too long are not compared', () => {
    const long = 'x'.repeat(400)
    assert.deepEqual(
      keys({ email: `${long}@mail.test`, handle: long, name: 'Ann', urls: [`https://${long}.test`] }),
      [],
    )
  })
})
