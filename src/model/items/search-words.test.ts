import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { askedWords, searchVector } from './search-words.ts'

const stored = (text: string) => [...searchVector([text]).matchAll(/'([^']*)':/g)].map(([, word]) => word)

suite('words with symbols', () => {
  for (const [text, words, asked] of [
    ['C++', ['c++'], ['c++']],
    ['C# and C', ['c#', 'and', 'c'], ['c#', 'and', 'c']],
    ['C++11', ['c++', '11'], ['c++', '11']],
    ['Notepad++.', ['notepad', 'notepad++'], ['notepad++']],
    ['.NET', ['net', '.net'], ['.net']],
    ['end.Next', ['end', 'next'], ['end', 'next']],
    ['ASP.NET', ['asp', 'net'], ['asp', 'net']],
    ['#tag', ['tag', '#tag'], ['#tag']],
    ['(#tag)', ['tag', '#tag'], ['#tag']],
    ['issue#12', ['issue', '12'], ['issue', '12']],
    ['#東京', ['東', '#東', '京'], ['#東', '京']],
    ['＃タグ', ['タ', '#タ', 'ク\u3099'.normalize('NFC')], ['#タ', 'グ']],
    ['@ada', ['ada', '~ada'], ['~ada']],
    ['@ada@host.test', ['ada', '~ada', 'host', '~host', 'test'], ['~ada', 'host', 'test']],
    ['ada@mail.test', ['ada', 'mail', '~mail', 'test'], ['ada', 'mail', 'test']],
    ['nice :)', ['nice', '=:)'], ['nice', '=:)']],
    ['a <= b', ['a', '=<=', 'b'], ['a', '=<=', 'b']],
    ['a --- b ... c == d', ['a', 'b', 'c', 'd'], ['a', 'b', 'c', 'd']],
    ['f(a)+g', ['f', 'a', 'g'], ['f', 'a', 'g']],
    [
      'https://a.test/x?y=1&z=2',
      ['https', 'a', 'test', 'x', 'y', '1', 'z', '2'],
      ['https', 'a', 'test', 'x', 'y', '1', 'z', '2'],
    ],
    ['É#', ['e#'], ['e#']],
    ['it\'s \\"', ['it', 's'], ['it', 's']],
  ] as [string, string[], string[]][])
    test(JSON.stringify(text), () => {
      assert.deepEqual(stored(text), words)
      assert.deepEqual(askedWords(text), asked)
    })

  test('both forms are at one position, so phrases find them', () => {
    assert.equal(searchVector(['my #tag here']), "'my':1 'tag':2 '#tag':2 'here':3")
  })

  test('a stored word has no quote, backslash or space, and does not begin like an entry of people', () => {
    const ascii = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i))
    for (const a of ascii)
      for (const b of ascii)
        for (const text of [`${a}${b}`, `x ${a}${b} y`, `${a}${b}word`, `word${a}${b}`])
          for (const word of stored(text)) assert.match(word!, /^[^@^'"\\\s][^'"\\\s]*$/, text)
  })
})
