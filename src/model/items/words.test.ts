import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as fc from 'fast-check'
import { searchVector } from './search-words.ts'
import { fold, wordsOf } from './words.ts'

suite('words', () => {
  for (const [text, words] of [
    ['', []],
    ['Hello, World!', ['hello', 'world']],
    ['Straße ÉCOLE naïve Łódź Ærø', ['strasse', 'ecole', 'naive', 'lodz', 'aero']],
    ['ΟΔΟΣ οδός', ['οδοσ', 'οδοσ']],
    ['İstanbul ısı', ['istanbul', 'isi']],
    ['がき かき', ['が', 'き', 'か', 'き']],
    ['ｶﾞ ＡＢＣ', ['ガ', 'abc']],
    ['東京tower123', ['東', '京', 'tower123']],
    ['שָׁלוֹם', ['שלום']],
    ['أَحْمَدـ إلى', ['احمد', 'الي']],
    ['हिन्दी की', ['हिन्दी', 'की']],
    ['한국어', ['한국어']],
    ['Ada.L+x@Mail.test', ['ada', 'l', 'x', 'mail', 'test']],
    ['#tag @ada_l http://a.test/b?c=d', ['tag', 'ada', 'l', 'http', 'a', 'test', 'b', 'c', 'd']],
    // symbols
    ['Party🎉🎉time', ['party', '🎉', '🎉', 'time']],
    ['5€ ♥ ✓ ∑x ≤ y 20°C', ['5', '€', '♥', '✓', '∑', 'x', '≤', 'y', '20', '°', 'c']],
    ['❤️ ❤ ☺︎', ['❤', '❤', '☺']],
    ['👍🏽 👍🏿 👍', ['👍', '👍', '👍']],
    ['👩🏽\u200d💻 🏃\u200d♀️', ['👩', '💻', '🏃', '♀']],
    ['🇧🇩🇪🇸 🇩', ['🇧🇩', '🇪🇸', '🇩']],
    [
      '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}',
      ['🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}'],
    ],
    ['1️⃣ ™ ½ ①', ['1', 'tm', '1', '2', '1']],
    // separators
    ['a+b=c $5 <x> ~y | ^z `w`', ['a', 'b', 'c', '5', 'x', 'y', 'z', 'w']],
    ['a – b … “c” «d» §e ‼️ · f', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['──▓▓⣿a \ufffd\ufffc \u{1F3FD}', ['a']],
    [' \u200b \0 ´', []],
  ] as const)
    test(JSON.stringify(text), () => assert.deepEqual(wordsOf(text), words))

  test('composed and decomposed, upper and lower are the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        assert.deepEqual(wordsOf(text.normalize('NFD')), wordsOf(text.normalize('NFC')))
        assert.equal(fold(fold(text)), fold(text))
      }),
    )
  })

  test('plain letters fall into the same words as any others', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 300 }), (text) => {
        assert.deepEqual([...wordsOf(text), 'e'], wordsOf(`${text} \u00e9`))
      }),
    )
  })

  test('nothing but letters, digits, marks and symbols beyond ASCII comes out, and never too much', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        for (const word of wordsOf(text))
          assert.match(word, /^(?:[\p{L}\p{N}\p{M}]{1,64}|\p{RI}{2}|(?![!-~])\p{S}[\u{E0020}-\u{E007F}]*)$/u)
      }),
    )
    assert.equal(wordsOf('🎉'.repeat(9000)).length, 4000)
    assert.ok(wordsOf(`🏴${'\u{E0067}'.repeat(9000)}`)[0]!.length <= 64)
    assert.equal(wordsOf('x'.repeat(500))[0]?.length, 64)
    assert.equal(wordsOf('a '.repeat(9000)).length, 4000)
    assert.equal(wordsOf('海'.repeat(9000)).length, 4000)
  })
})

suite('search vectors', () => {
  test('positions run through a text, with a gap before the next', () => {
    assert.equal(searchVector(['a b a', 'c']), `'a':1,3 'b':2 'c':14`)
    assert.equal(searchVector(['', '...']), '')
  })

  test('stay within what the database takes', () => {
    const vector = searchVector(Array.from({ length: 100 }, (_, i) => `same ${'w'.repeat(70)}${i} `.repeat(100)))
    assert.ok(Buffer.byteLength(vector) < 1_048_575)
    assert.ok([...vector.matchAll(/:([\d,]+)/g)].every(([, at]) => at!.split(',').length <= 255))
  })
})
