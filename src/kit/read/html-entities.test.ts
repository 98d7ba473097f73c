import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entityText } from './html-entities.ts'
import { plainText } from './kind.ts'

test('the entities that people use in posts become their characters', () => {
  const shown = {
    'Caf&eacute; &Eacute;tude, &uuml;ber &Uuml;bung, stra&szlig;e, ma&ntilde;ana, &oslash;l, &aelig;':
      'Café Étude, über Übung, straße, mañana, øl, æ',
    '&lsquo;a&rsquo; &ldquo;b&rdquo; &bdquo;c&ldquo; &laquo;d&raquo; &lsaquo;e&rsaquo;': '‘a’ “b” „c“ «d» ‹e›',
    'a&hellip; b &mdash; c &ndash; d &bull; e &middot; f': 'a… b — c – d • e · f',
    '5 &euro;, 3 &pound;, 2 &yen;, 1 &cent; &copy;&reg;&trade; 20 &deg;C &frac12; &times; &plusmn;2':
      '5 €, 3 £, 2 ¥, 1 ¢ ©®™ 20 °C ½ × ±2',
    'R&amp;B &lt;3 &gt; &quot;x&quot; &apos;y&apos; &AMP;': `R&B <3 > "x" 'y' &`,
    '&rarr; &hearts; &infin; &ne; &pi; &OElig;uvre &scaron; &Lstrok;&oacute;d&zacute;': '→ ♥ ∞ ≠ π Œuvre š Łódź',
    'un&shy;break&zwnj;able&nbsp;space&emsp;here': 'unbreakable space here',
    'x&NoBreak;y&puncsp;a&ThickSpace;b&Tab;c&NewLine;d': 'xy a b c d',
    '&copysr; &checkmark; &half; &Rightarrow; &bigstar; &yucy;&Dcy; &notin; &fjlig;': '℗ ✓ ½ ⇒ ★ юД ∉ fj',
  }
  for (const [html, text] of Object.entries(shown)) assert.equal(plainText(html), text)
})

test('every character of Latin-1 has the name that the standard gives it', () => {
  const some = {
    iexcl: 0xa1,
    yen: 0xa5,
    reg: 0xae,
    deg: 0xb0,
    iquest: 0xbf,
    Agrave: 0xc0,
    ETH: 0xd0,
    szlig: 0xdf,
    eth: 0xf0,
    yuml: 0xff,
  }
  for (const [name, code] of Object.entries(some)) assert.equal(entityText(name), String.fromCodePoint(code), name)
})

test('numbers are read as browsers read them', () => {
  assert.equal(plainText('it&#39;s &#x1F600; &#8217; &#X41;'), `it's \u{1F600} ’ A`)
  // Written with an old code page in mind, as much software still does.
  assert.equal(plainText('it&#146;s &#133; &#150; &#x80;'), 'it’s … – €')
  assert.equal(plainText('a&#160;b'), 'a b')
  for (const name of ['#0', '#xD800', '#xDFFF', '#x110000', '#99999999999999999999']) {
    assert.equal(entityText(name), '\ufffd')
    assert.ok(plainText(`a&${name};b`)!.isWellFormed())
  }
})

test('an unknown entity stays as it is', () => {
  for (const text of [
    'a & b',
    'AT&T;',
    '&nosuchname;',
    '&eacute',
    '&;',
    '&#;',
    '&#x;',
    '&#12z;',
    '&#xZ;',
    '&#-1;',
    '&constructor;',
    '&__proto__;',
  ])
    assert.equal(plainText(text), text)
  // Letters of one name in another case are another name, or none.
  assert.equal(plainText('&EACUTE; &Eacute;'), '&EACUTE; É')
  assert.equal(plainText('&amp;eacute;'), '&eacute;')
})
