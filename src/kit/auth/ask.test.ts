import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type AskField, askFault, idSuffix, instanceName, localIdOf, readAnswer } from './ask.ts'
import { oauth2 } from './auth.ts'

const host: AskField = { title: 'Server', example: 'mastodon.social', kind: 'host' }
const handle: AskField = { title: 'Handle', example: 'ada.test', kind: 'handle' }
const shop: AskField = { title: 'Shop', example: 'my-shop', kind: 'text' }

suite('answers of people', () => {
  test('a host is normalised from what people paste', () => {
    for (const text of [
      'mastodon.social',
      ' Mastodon.Social ',
      'https://mastodon.social/@ada',
      'http://MASTODON.social:443/home?x#y',
      '@ada@mastodon.social',
      'acct:ada@mastodon.social',
      'mastodon.social.',
      'masto\u200bdon.social',
      'user:pass@mastodon.social',
    ])
      assert.equal(readAnswer(host, text)?.replace(':443', ''), 'mastodon.social', text)
    assert.equal(readAnswer(host, 'münchen.social'), 'xn--mnchen-3ya.social')
    assert.equal(readAnswer(host, 'ｍastodon．social'), 'mastodon.social')
    assert.equal(readAnswer(host, 'mastodon.social:8443'), 'mastodon.social:8443')
  })

  test('anything but a host name is refused', () => {
    for (const text of [
      '',
      ' ',
      'mastodon',
      'a b',
      'a/../b',
      'ex ample',
      '..',
      '-a.test',
      'a-.test',
      `${'a'.repeat(64)}.test`,
      `${'a.'.repeat(150)}test`,
      'x'.repeat(10_000),
      '{host}',
      'a.test%2f.evil.test',
      'file:///etc/passwd',
      'a.test\\@evil.test.',
    ])
      assert.ok([undefined, 'a.test', 'evil.test'].includes(readAnswer(host, text)), text)
    assert.equal(readAnswer(host, '{host}'), undefined)
    assert.equal(readAnswer(host, 'a.test%2f.evil.test'), undefined)
  })

  test('numbers in any spelling become the address that the egress guard checks', () => {
    for (const text of ['127.0.0.1', '0x7f.1', '2130706433', '127.1']) assert.equal(readAnswer(host, text), '127.0.0.1')
    assert.equal(readAnswer(host, '[::1]:3000'), '[::1]:3000')
    assert.equal(readAnswer(host, 'localhost:3000'), 'localhost:3000')
  })

  test('what stands around an answer may be typed too, and a host has one spelling', () => {
    const zendesk: AskField = { title: 'Your site', example: 'acme', kind: 'text', suffix: '.desk.example' }
    for (const text of ['acme', ' Acme ', 'acme.desk.example', 'https://ACME.desk.example/agent?x=1#y'])
      assert.equal(readAnswer(zendesk, text), 'acme', text)
    for (const text of ['', '.desk.example', 'acme.evil.example', 'acme.desk.example.evil.example', 'acme/x', 'a@b'])
      assert.equal(readAnswer(zendesk, text), undefined, text)
    const team: AskField = { title: 'Team', example: 'Blue', kind: 'text', prefix: 'team-' }
    assert.deepEqual(
      [readAnswer(team, 'team-Blue'), readAnswer(team, 'Blue'), readAnswer(team, 'team-')],
      ['Blue', 'Blue', 'team-'],
    )
  })

  test('a default must be an answer, and only texts have something around them', () => {
    assert.match(askFault({ site: { ...shop, default: 'a/b' } }) ?? '', /ask\.site\.default/)
    assert.match(askFault({ site: { ...host, suffix: '.example' } }) ?? '', /only a text/)
    assert.equal(askFault({ site: { ...shop, default: 'acme', suffix: '.example' } }), undefined)
  })

  test('a handle is a domain name or a DID', () => {
    assert.equal(readAnswer(handle, '@Ada.Test'), 'ada.test')
    assert.equal(readAnswer(handle, 'did:plc:abc234'), 'did:plc:abc234')
    for (const text of ['ada', '127.0.0.1', 'did:key:x', 'ada.test/..', 'ada@test.com', 'https://a.test'])
      assert.equal(readAnswer(handle, text), undefined, text)
  })

  test('a text has only harmless characters unless its pattern says otherwise', () => {
    assert.equal(readAnswer(shop, 'my-shop'), 'my-shop')
    for (const text of ['my.shop', 'my/shop', 'shop?x', 'ä', 'a@b']) assert.equal(readAnswer(shop, text), undefined)
    assert.equal(readAnswer({ ...shop, pattern: /^[a-z.]+$/ }, 'my.shop'), 'my.shop')
  })

  test('a pattern is for the whole text, and lets no text end the host or the path that it stands in', () => {
    const parts = { ...shop, pattern: /[a-z.]+/ }
    assert.equal(readAnswer(parts, 'my.shop'), 'my.shop')
    for (const text of ['my.shop!', '1my.shop']) assert.equal(readAnswer(parts, text), undefined, text)
    for (const end of ['/', '?', '#', '\\', '@', ':', '%2f'])
      for (const pattern of [/.+/, /^.*$/s, /[a-z]+/])
        assert.equal(readAnswer({ ...shop, pattern }, `evil.test${end}`), undefined, `${end} ${pattern}`)
  })

  test('questions that cannot work are reported to the author of a connector', () => {
    assert.equal(askFault({ host, handle, shop }), undefined)
    assert.match(askFault({ api_url: host }) ?? '', /name cannot be used/)
    assert.match(askFault({ Host: host }) ?? '', /name cannot be used/)
    assert.match(askFault({ host: { ...host, example: 'nowhere' } }) ?? '', /example/)
    assert.match(askFault({ host: { ...host, title: '' } }) ?? '', /title/)
  })

  test('ids of one instance are made unique by its host, and found again', () => {
    const auth = oauth2({ authorizeUrl: '', tokenUrl: '' })
    const asking = { ask: { host }, auth }
    const answers = { host: 'one.test:3000', api_url: 'https://else.test' }
    assert.equal(instanceName(asking.ask, answers), 'one.test:3000')
    assert.equal(`7${idSuffix(asking, answers)}`, '7@one.test:3000')
    assert.equal(localIdOf(asking, '7@one.test:3000'), '7')
    assert.equal(localIdOf(asking, 'a@b@one.test'), 'a@b')
    assert.equal(localIdOf({ auth }, 'a@b'), 'a@b')
    assert.equal(idSuffix({ ask: { handle }, auth }, { handle: 'x' }), '')
    assert.equal(idSuffix({ ask: { shop: { ...shop, qualifiesIds: true } }, auth }, { shop: 'x' }), '@x')
    const home = { document: () => '', read: () => undefined, apiPath: '' }
    const verified = { ask: { host }, auth: { ...auth, home } }
    assert.equal(idSuffix(verified, answers), '', 'a public record verifies the id')
    assert.equal(localIdOf(verified, 'a@b'), 'a@b')
  })
})
