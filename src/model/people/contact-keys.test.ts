import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { contactKeys } from './contact-keys.ts'
import { ROLE_ADDRESSES } from './role-addresses.ts'

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

  test('the address of a role is that of nobody, in any language and spelling', () => {
    for (const email of ['info@a.test', 'No-Reply@a.test', 'do_not.reply+7@a.test', 'büro@a.test', 'Kontakt@a.test'])
      assert.deepEqual(keys({ email }), [], email)
    for (const role of ROLE_ADDRESSES) assert.deepEqual(keys({ email: `${role.toUpperCase()}@a.test` }), [], role)
    assert.deepEqual(keys({ email: 'informer@a.test' }), ['email informer@a.test'])
  })

  test('a link ignores scheme, www, the case of its host and a slash at the end, and nothing else', () => {
    for (const url of [
      'https://ann.test/About',
      'HTTP://www.ANN.test/About/',
      'https://ann.test:443/About#',
      ' https://ann.test/About ',
    ])
      assert.deepEqual(keys({ urls: [url] }), ['link ann.test/About'], url)
    assert.deepEqual(keys({ urls: ['https://site.test/profile.php?id=5'] }), ['link site.test/profile.php?id=5'])
    for (const [a, b] of [
      ['https://matrix.test/#/@a:x', 'https://matrix.test/#/@b:x'],
      ['https://short.test/AbC', 'https://short.test/aBc'],
      ['https://site.test/team#ann', 'https://site.test/team#bob'],
      ['https://site.test/team', 'https://site.test/team#bob'],
      ['https://site.test/p?id=a', 'https://site.test/p?id=A'],
    ] as const)
      assert.deepEqual(keys({ urls: [a, b] }).length, 2, a)
    for (const url of ['', 'ann.test', 'mailto:ann@mail.test', 'javascript:alert(1)', 'https://', '/ann'])
      assert.deepEqual(keys({ urls: [url] }), [], url)
  })

  test('the address of a whole site is that of nobody', () => {
    for (const url of [
      'https://corp.test/',
      'http://www.corp.test',
      'https://twitter.test/#',
      'https://app.test/#/',
      'https://app.test/#!/',
      'https://corp.test/#contact',
      'https://corp.test/?utm_source=x',
      'https://corp.test:8443//',
    ])
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
