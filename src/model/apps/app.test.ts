import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ApiError } from '../errors.ts'
import { checkRedirectUri, isLoopback, matchesRedirectUri, presentServiceKey } from './app.ts'

const REGISTERED = 'https://app.test/oauth/cb?flow=1'

// Everything that has once passed for an equal address somewhere.
const MUTATIONS = [
  ['HTTPS://app.test/oauth/cb?flow=1', 'https://App.test/oauth/cb?flow=1', 'https://app.test/OAuth/cb?flow=1'],
  ['https://app.test/oauth/cb?Flow=1', 'https://app.test/oauth/cb?flow=1#', 'https://app.test/oauth/cb?flow=1#x'],
  ['https://app.test/oauth/cb', 'https://app.test/oauth/cb?', 'https://app.test/oauth/cb/?flow=1'],
  ['https://app.test/oauth/cb?flow=1&', 'https://app.test/oauth/cb?flow=1&x=2', 'https://app.test/oauth/cb?x=2&flow=1'],
  ['https://app.test/oauth/cb?flow=1&flow=1', 'https://app.test/oauth/cb?flow=%31', 'https://app.test/oauth/cb?flow=2'],
  ['http://app.test/oauth/cb?flow=1', 'ftp://app.test/oauth/cb?flow=1', '//app.test/oauth/cb?flow=1'],
  ['app.test/oauth/cb?flow=1', '/oauth/cb?flow=1', 'https:app.test/oauth/cb?flow=1', 'https:/app.test/oauth/cb?flow=1'],
  [
    'https:///app.test/oauth/cb?flow=1',
    String.raw`https:\\app.test/oauth/cb?flow=1`,
    String.raw`https://app.test\oauth/cb?flow=1`,
  ],
  [
    'https://app.test:443/oauth/cb?flow=1',
    'https://app.test:8443/oauth/cb?flow=1',
    'https://app.test:/oauth/cb?flow=1',
  ],
  ['https://app.test./oauth/cb?flow=1', 'https://sub.app.test/oauth/cb?flow=1', 'https://xapp.test/oauth/cb?flow=1'],
  ['https://app.test.evil.test/oauth/cb?flow=1', 'https://evil.test/app.test/oauth/cb?flow=1'],
  [
    'https://app.test@evil.test/oauth/cb?flow=1',
    'https://u:p@app.test/oauth/cb?flow=1',
    'https://@app.test/oauth/cb?flow=1',
  ],
  ['https://evil.test#@app.test/oauth/cb?flow=1', 'https://evil.test?@app.test/oauth/cb?flow=1'],
  [String.raw`https://evil.test\@app.test/oauth/cb?flow=1`, 'https://evil.test%40app.test/oauth/cb?flow=1'],
  [
    'https://app.test/oauth/../oauth/cb?flow=1',
    'https://app.test/./oauth/cb?flow=1',
    'https://app.test/oauth/cb/..?flow=1',
  ],
  [
    'https://app.test/oauth/cb/../../evil?flow=1',
    'https://app.test/oauth%2Fcb?flow=1',
    'https://app.test/oauth%2fcb?flow=1',
  ],
  ['https://app.test/oauth/%63b?flow=1', 'https://app.test/oauth/cb%00?flow=1', 'https://app.test/oauth//cb?flow=1'],
  ['https://app.test//oauth/cb?flow=1', 'https://app.test/oauth/cb;x?flow=1', 'https://app.test/oauth/cb%20?flow=1'],
  [' https://app.test/oauth/cb?flow=1', 'https://app.test/oauth/cb?flow=1 ', '\thttps://app.test/oauth/cb?flow=1'],
  ['https://app.test/oauth/cb?flow=1\n', 'https://app.test/oauth/\tcb?flow=1', 'https://app.te\nst/oauth/cb?flow=1'],
  [
    'https://app.test/oauth/cb?flow=1\r\nX: y',
    'https://app.test/oauth/cb?flow=1\u0000',
    'https://аpp.test/oauth/cb?flow=1',
  ],
  ['https://xn--pp-7kc.test/oauth/cb?flow=1', 'https://app。test/oauth/cb?flow=1', 'https://ａpp.test/oauth/cb?flow=1'],
  ['https://app.test/oauth/cb?flow=1\u200b', 'https://[::1]/oauth/cb?flow=1', 'https://127.0.0.1/oauth/cb?flow=1'],
  ['javascript:alert(1)//https://app.test/oauth/cb?flow=1', 'data:text/html,https://app.test/oauth/cb?flow=1', ''],
].flat()

const LOOPBACK = 'http://127.0.0.1:3000/cb?x=1'

const LOOPBACK_MUTATIONS = [
  ['https://127.0.0.1:3000/cb?x=1', 'http://127.0.0.2:3000/cb?x=1', 'http://localhost:3000/cb?x=1'],
  [
    'http://[::1]:3000/cb?x=1',
    'http://127.1:3000/cb?x=1',
    'http://2130706433:3000/cb?x=1',
    'http://0177.0.0.1:3000/cb?x=1',
  ],
  [
    'http://127.0.0.1:3000/cb',
    'http://127.0.0.1:3000/cb?x=2',
    'http://127.0.0.1:3000/cb?x=1#',
    'http://127.0.0.1:3000/CB?x=1',
  ],
  ['http://127.0.0.1:3000/cb/?x=1', 'http://127.0.0.1:3000/a/../cb?x=1', 'http://127.0.0.1:/cb?x=1'],
  ['http://127.0.0.1:99999/cb?x=1', 'http://127.0.0.1:-1/cb?x=1', 'http://127.0.0.1:30 00/cb?x=1'],
  ['http://127.0.0.1:3000@evil.test/cb?x=1', 'http://evil.test:3000/cb?x=1', 'http://127.0.0.1.evil.test/cb?x=1'],
  ['http://u@127.0.0.1:3000/cb?x=1', 'http://127.0.0.1:4000:3000/cb?x=1', String.raw`http://127.0.0.1\:3000/cb?x=1`],
  [
    'HTTP://127.0.0.1:3000/cb?x=1',
    'http:127.0.0.1:3000/cb?x=1',
    'http://127.0.0.1:3000/cb?x=1\n',
    '\u00a0http://127.0.0.1/cb?x=1',
  ],
].flat()

suite('a redirect address that is given', () => {
  test('must be the registered one', () => {
    assert.equal(matchesRedirectUri([REGISTERED], REGISTERED), true)
    assert.equal(matchesRedirectUri(['https://other.test/', REGISTERED], REGISTERED), true)
    assert.equal(matchesRedirectUri([], REGISTERED), false)
    assert.equal(matchesRedirectUri(['com.app:/cb'], 'com.app:/cb'), true)
    assert.equal(matchesRedirectUri(['com.app:/cb'], 'com.app:/CB'), false)
  })

  test(`is refused in all ${MUTATIONS.length} mutations`, () => {
    assert.ok(new Set(MUTATIONS).size >= 60)
    const taken = MUTATIONS.filter((given) => matchesRedirectUri([REGISTERED, 'https://other.test/'], given))
    assert.deepEqual(taken, [])
  })

  test('may differ in the port of a loopback address', () => {
    for (const given of [
      LOOPBACK,
      'http://127.0.0.1/cb?x=1',
      'http://127.0.0.1:1/cb?x=1',
      'http://127.0.0.1:65535/cb?x=1',
    ])
      assert.equal(matchesRedirectUri([LOOPBACK], given), true, given)
    assert.equal(matchesRedirectUri(['http://127.0.0.1/cb'], 'http://127.0.0.1:5/cb'), true)
    assert.equal(matchesRedirectUri(['http://localhost:1/cb'], 'http://localhost:2/cb'), true)
    assert.equal(matchesRedirectUri(['http://[::1]:1/cb'], 'http://[::1]:2/cb'), true)
  })

  test('may differ in nothing else of a loopback address', () => {
    assert.deepEqual(
      LOOPBACK_MUTATIONS.filter((given) => matchesRedirectUri([LOOPBACK], given)),
      [],
    )
  })

  test('may not differ in its port anywhere else', () => {
    assert.equal(matchesRedirectUri(['https://localhost:1/cb'], 'https://localhost:2/cb'), false)
    assert.equal(matchesRedirectUri(['com.app://127.0.0.1:1/cb'], 'com.app://127.0.0.1:2/cb'), false)
  })
})

suite('a redirect address that is registered', () => {
  test('may be https, a loopback address or a scheme of the app', () => {
    for (const fine of [
      REGISTERED,
      LOOPBACK,
      'http://localhost/cb',
      'http://[::1]:9/cb',
      'com.app.test:/oauth',
      'com.app://cb',
      'myapp://cb',
      'msgapp:/cb',
      'chromatic:/cb',
      'ms.example.app:/cb',
      'com.example.chrome-app:/cb',
    ])
      assert.equal(checkRedirectUri(fine), fine)
  })

  for (const [why, addresses] of Object.entries({
    'is not an absolute address': ['', 'app.test/cb', '/cb', '//app.test/cb', 'https://', 'https://a b.test/'],
    'runs in the browser or reads locally': [
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'blob:https://a.test/x',
      'vbscript:x',
      'about:blank',
    ],
    'F28 belongs to browsers, systems or other programs': [
      'view-source:https://app.test/',
      'mailto:a@app.test',
      'chrome://settings',
      'chrome-extension://abc/x',
      'moz-extension://abc/x',
      'ms-settings:privacy',
      'MS-Settings:privacy',
      'search-ms:query=x',
      'ms-msdt:/id',
      'ftp://app.test/cb',
      'ws://app.test/cb',
      'wss://app.test/cb',
      'filesystem:https://app.test/temporary/x',
      'intent://cb',
      'jar:https://app.test/x',
      'resource://x',
      'tel:112',
      'sms:112',
      'ssh://app.test',
      'ldap://app.test/x',
      'shell:startup',
      'edge://flags',
      'web+app://cb',
    ],
    'has a fragment': ['https://app.test/#', 'https://app.test/cb#x', 'com.app:/cb#'],
    'has a user name': ['https://u@app.test/', 'https://u:p@app.test/', 'https://:p@app.test/', 'https://@app.test/'],
    'is not encrypted': [
      'http://app.test/cb',
      'http://localhost.evil.test/',
      'http://127.0.0.1.evil.test/',
      'http://10.0.0.1/',
      'http://0.0.0.0/',
      'http://[::ffff:127.0.0.1]/',
    ],
    'is read in different ways': [
      'https://app.test\\cb',
      'https://*.app.test/',
      'https://app.test/c b',
      ' https://app.test/',
      'https://app.test/\n',
      'https://app.test/\u0000',
      'https://app.test/\u007f',
      'https://app.test/\u200b',
    ],
    'is read relative to the page it stands on': [
      'https:app.test/cb',
      'https:/app.test/cb',
      'https:///app.test/cb',
      'http:localhost/cb',
    ],
    'has a parameter of our response': [
      'https://app.test/?code=1',
      'https://app.test/?a=1&state=',
      'https://app.test/?error=x',
      'https://app.test/?access_token',
      'https://app.test/?iss=1',
      'https://app.test/?co%64e=1',
    ],
    'is longer than any': [`https://app.test/${'x'.repeat(4000)}`],
  })) {
    test(`is refused when it ${why}`, () => {
      const taken = addresses.filter((address) => {
        try {
          checkRedirectUri(address)
          return true
        } catch (error) {
          assert.ok(error instanceof ApiError && error.reason === 'bad_parameter', String(error))
          assert.match(error.message, /^redirect_uris: “/)
          return false
        }
      })
      assert.deepEqual(taken, [])
    })
  }
})

test('a loopback name is one that never leaves the machine', () => {
  for (const name of ['localhost', '127.0.0.1', '127.255.255.255', '[::1]']) assert.equal(isLoopback(name), true)
  for (const name of [
    '',
    'localhost.',
    'xlocalhost',
    '127.0.0.1.evil.test',
    '128.0.0.1',
    '::1',
    '[::2]',
    '127.0.0.1:80',
  ])
    assert.equal(isLoopback(name), false, name)
})

test('a presented service key has no secret, whatever came with it', () => {
  const key = { service: 'github', key: 'k', scope: undefined, overrides: {}, updatedAt: 1, secret: 'c4nary' }
  assert.deepEqual(presentServiceKey(key), { service: 'github', key: 'k', overrides: {}, updated_at: 1 })
})
