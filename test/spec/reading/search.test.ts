import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Reader, type ReadingHarness, startReadingHarness } from './fixture.ts'
import type { Thing } from './thing.ts'

let harness: ReadingHarness
before(async () => {
  harness = await startReadingHarness()
})
after(() => harness.stop())

const search = async (reader: Reader, q: string, type = 'statuses') =>
  (await harness.items(`/types/${type}?sort=asc&limit=100&q=${encodeURIComponent(q)}`, reader)).map(
    ({ data }) => data.id,
  )

async function readerOf(things: Thing[]): Promise<Reader> {
  const reader = await harness.newReader()
  await harness.put(await harness.newProfile(reader), things)
  return reader
}

suite('S45 words', () => {
  const TEXTS: Record<string, string> = {
    cats: 'The quick CAT sat; on the mat!',
    concat: 'Concatenate strings',
    ecole: 'À l’École, Straße nach Łódź',
    decomposed: 'Cafe\u0301 Zu\u0308rich',
    greek: 'ΟΔΟΣ του Σωκράτη',
    turkish: 'İSTANBUL ve ısı',
    chinese: '今天我在北京大学看书',
    japanese: '東京タワーへ行きました。がき',
    half: 'ｶﾀｶﾅ ＡＢＣ１２３',
    korean: '서울에서 만나요',
    arabic: 'السَّلَامُ عَلَيْكُمْ يا أَحْمَد',
    hebrew: 'שָׁלוֹם עוֹלָם',
    thai: 'สวัสดีชาวโลก',
    hindi: 'नमस्ते दुनिया की बात',
    link: 'See https://www.example.com/deep/path?query=value#part now',
    mail: 'Write to Ada.Lovelace+news@Mail.example.org please',
    handle: 'Thanks @ada_lovelace and #MachineLearning!',
    number: 'Version 3.14 of 2026',
    quote: `She said "don't" & 'do' | !maybe <-> (no) :* \\ %`,
    mixed: '我love北京tower',
    hello: '안녕하세요 여러분',
    party: 'Party🎉 tonight 👍🏽',
    coder: 'A 👩🏿\u200d💻 at work ❤️',
    flags: '🇧🇩🇪🇸 on tour',
    prices: 'Costs 5€ ✓ done',
  }
  let reader: Reader
  before(async () => {
    reader = await readerOf(Object.entries(TEXTS).map(([id, text], i) => ({ id, at: i, types: ['statuses'], text })))
  })

  for (const [q, expected] of [
    // case and punctuation
    ['cat', ['cats']],
    ['CAT', ['cats']],
    ['cat!', ['cats']],
    ['mat cat', ['cats']],
    ['cat dog', []],
    ['ca', []],
    // beginnings
    ['cat*', ['cats']],
    ['con*', ['concat']],
    ['quick ca*', ['cats']],
    ['ca* quick', ['cats']],
    ['*', []],
    // accents
    ['ecole', ['ecole']],
    ['ÉCOLE', ['ecole']],
    ['strasse', ['ecole']],
    ['straße', ['ecole']],
    ['lodz', ['ecole']],
    ['cafe', ['decomposed']],
    ['CAFÉ', ['decomposed']],
    ['zürich', ['decomposed']],
    ['οδός', ['greek']],
    ['σωκρατη', ['greek']],
    ['istanbul', ['turkish']],
    ['ISI', ['turkish']],
    // phrases and exclusion
    ['"sat on the mat"', ['cats']],
    ['"mat the on"', []],
    ['"quick sat"', []],
    ['-cat strings', ['concat']],
    ['cat -dog', ['cats']],
    ['cat -mat', []],
    ['cat -"on the mat"', []],
    ['cat -"the on"', ['cats']],
    ['cat -ma*', []],
    ['"quick cat', ['cats']],
    // scripts without spaces
    ['北京', ['chinese', 'mixed']],
    ['北京大学', ['chinese']],
    ['京北', []],
    ['我 书', ['chinese']],
    ['東京タワー', ['japanese']],
    ['タワー', ['japanese']],
    ['がき', ['japanese']],
    ['かき', []],
    ['カタカナ', ['half']],
    ['abc123', ['half']],
    ['love', ['mixed']],
    ['tower', ['mixed']],
    ['love北京', ['mixed']],
    ['서울*', ['korean']],
    ['만나요', ['korean']],
    ['서울', ['korean']],
    ['울', []],
    ['안녕', ['hello']],
    ['"안녕"', []],
    ['"안녕하세요 여러분"', ['hello']],
    ['안녕 여러', ['hello']],
    ['여러분 -안녕', []],
    // emoji and symbols
    ['🎉', ['party']],
    ['party🎉', ['party']],
    ['🎉party', []],
    ['👍', ['party']],
    ['👍🏿', ['party']],
    ['"tonight 👍"', ['party']],
    ['party -🎉', []],
    ['👩', ['coder']],
    ['👩\u200d💻', ['coder']],
    ['💻\u200d👩', []],
    ['❤', ['coder']],
    ['❤️', ['coder']],
    ['♥', []],
    ['🇧🇩', ['flags']],
    ['🇩🇪', []],
    ['€', ['prices']],
    ['5€', ['prices']],
    ['✓', ['prices']],
    ['🎉*', ['party']],
    ['🏽', []],
    // scripts with vowel signs
    ['السلام', ['arabic']],
    ['أحمد', ['arabic']],
    ['احمد', ['arabic']],
    ['שלום', ['hebrew']],
    ['שָׁלוֹם', ['hebrew']],
    ['ชาวโลก', ['thai']],
    ['โลกชาว', []],
    ['की', ['hindi']],
    ['का', []],
    // addresses
    ['example.com', ['link']],
    ['https://www.example.com/deep/path', ['link']],
    ['path?query=value', ['link']],
    ['example', ['link', 'mail']],
    ['ada.lovelace+news@mail.example.org', ['mail']],
    ['@mail.example.org', ['mail']],
    ['@ada_lovelace', ['handle']],
    ['ada_lovelace', ['mail', 'handle']],
    ['lovelace_ada', []],
    ['#machinelearning', ['handle']],
    ['machinel*', ['handle']],
    ['3.14', ['number']],
    ['14.3', []],
    // characters with a meaning in the database
    [`don't`, ['quote']],
    ['maybe', ['quote']],
    [`"don't do maybe"`, ['quote']],
    // nothing to search for
    ['   ', []],
    ['!!! ... ***', []],
    ['""', []],
    ['"', []],
    ['-', []],
    ["'", []],
    ['& | ! ( ) <->', ['quote']],
    ['\\', []],
  ] as const)
    test(`q=${q} finds ${expected.join(', ') || 'nothing'}`, async () =>
      assert.deepEqual(await search(reader, q), expected))

  test('a question of unwanted words alone finds all others', async () => {
    const all = Object.keys(TEXTS)
    assert.deepEqual(
      await search(reader, '-cat'),
      all.filter((id) => id !== 'cats'),
    )
    assert.deepEqual(
      await search(reader, '-"cat" -#machinelearning -"quick sat"'),
      all.filter((id) => id !== 'cats' && id !== 'handle'),
    )
    const path = (q: string) => `/types/statuses?limit=0&count=true&participants=%3E1&q=${encodeURIComponent(q)}`
    const counted = await harness.request(path('-cat'), reader)
    assert.equal(counted.headers.get('x-total-count'), String(all.length - 1))
    const stranger = await readerOf([{ id: 'own', types: ['statuses'], text: 'Dog', lat: 1, lng: 1 }])
    for (const [q, count] of [
      ['-cat', 1],
      ['-dog', 0],
    ] as const)
      assert.equal((await harness.items(`/types/statuses?near=1,1&q=${q}`, stranger)).length, count, q)
    assert.deepEqual(await search(stranger, '-cat'), ['own'])
    assert.deepEqual(await search(stranger, '-dog'), [])
  })

  test('an empty q is refused', async () => {
    const { status, body } = await harness.request('/types/statuses?q=', reader)
    assert.equal(status, 400)
    assert.match(JSON.stringify(body), /q: is empty/)
  })

  test('very long and very many words are accepted', async () => {
    assert.deepEqual(await search(reader, 'x'.repeat(1000)), [])
    assert.deepEqual(await search(reader, 'cat '.repeat(250)), ['cats'])
    assert.deepEqual(await search(reader, '北'.repeat(1000)), [])
    assert.deepEqual(await search(reader, '🎉'.repeat(500)), [])
  })
})

suite('searched fields per type', () => {
  const everything = (id: string, types: Thing['types']): Thing => ({
    id,
    at: 1,
    types: types ?? [],
    name: `nameword${id}`,
    handle: `handleword${id}`,
    email: `emailword${id}@x.test`,
    text: `textword${id}`,
    title: `titleword${id}`,
    description: `descriptionword${id}`,
    url: `https://urlword${id}.test/`,
    other: `otherword${id}`,
  })
  const KINDS: [string, Thing['types'], string[]][] = [
    ['contacts', ['contacts'], ['name', 'handle', 'email']],
    ['statuses', ['statuses'], ['text']],
    ['news', ['news'], ['title', 'url']],
    ['photos', ['photos'], ['title', 'description']],
    ['videos', ['videos'], ['title', 'text']],
    ['events', ['events'], ['title', 'text']],
    ['checkins', ['checkins'], ['title', 'text']],
    ['news', ['statuses', 'news'], ['text', 'title', 'url']],
  ]

  for (const [i, [path, types, fields]] of KINDS.entries())
    test(`${types!.join(' and ')}: ${fields.join(', ')}`, async () => {
      const reader = await readerOf([everything(`k${i}`, types)])
      for (const field of ['name', 'handle', 'email', 'text', 'title', 'description', 'url', 'other'])
        assert.deepEqual(
          await search(reader, `${field}wordk${i}`, path),
          fields.includes(field) ? [`k${i}`] : [],
          field,
        )
    })

  test('an item without a type is searched by title and text', async () => {
    const reader = await readerOf([everything('none', [])])
    for (const field of ['title', 'text', 'name'])
      assert.equal(
        (await harness.items(`/services/library/things?q=${field}wordnone`, reader)).length,
        field === 'name' ? 0 : 1,
        field,
      )
  })

  test('a phrase does not match across fields', async () => {
    const reader = await readerOf([{ id: 'a', at: 1, types: ['photos'], title: 'one two', description: 'three four' }])
    assert.deepEqual(await search(reader, '"one two"', 'photos'), ['a'])
    assert.deepEqual(await search(reader, '"two three"', 'photos'), [])
    assert.deepEqual(await search(reader, 'two three', 'photos'), ['a'])
  })
})

suite('search results', () => {
  test('follow a change and a deletion', async () => {
    const reader = await harness.newReader()
    const profile = await harness.newProfile(reader)
    await harness.put(profile, [{ id: 'a', at: 1, types: ['statuses'], text: 'before' }])
    assert.deepEqual(await search(reader, 'before'), ['a'])
    await harness.put(profile, [{ id: 'a', at: 1, types: ['statuses'], text: 'after' }])
    assert.deepEqual([await search(reader, 'before'), await search(reader, 'after')], [[], ['a']])
  })

  test('include rare items far behind frequent ones', async () => {
    const things = Array.from(
      { length: 2500 },
      (_, i): Thing => ({
        id: `s${i}`,
        at: 10_000 - i,
        types: ['statuses'],
        text: i >= 2480 ? 'frequent rare' : 'frequent',
      }),
    )
    const reader = await readerOf(things.slice(0, 1250))
    await harness.put(await harness.newProfile(reader, 'museum', 'other'), things.slice(1250))
    const path = (more: string) => `/types/statuses?q=${more}`
    assert.equal((await harness.items(path('rare&limit=50'), reader)).length, 20)
    assert.deepEqual(
      (await harness.items(path('rare&limit=3'), reader)).map(({ data }) => data.id),
      ['s2480', 's2481', 's2482'],
    )
    assert.equal((await harness.items(path('frequent&limit=3000'), reader)).length, 2500)
    assert.equal((await harness.items(path('freq*%20-rare&limit=3000'), reader)).length, 2480)
    assert.deepEqual(
      (await harness.items(path('rare&sort=asc&limit=1'), reader)).map(({ data }) => data.id),
      ['s2499'],
    )
  })
})

suite('S45 words with symbols', () => {
  const TEXTS: Record<string, string> = {
    plain: 'C compilers and a + b = c',
    plusplus: 'Learning C++, slowly',
    sharp: 'C# in depth',
    fsharp: 'F# too',
    eleven: 'The C++11 standard',
    dotnet: 'The .NET runtime.',
    net: 'A net. Next',
    editor: 'Notepad++ is an editor',
    tag: 'Sea #sunset',
    word: 'A sunset',
    mention: 'With @ada today',
    name: 'Ada was here',
    smile: 'So nice :)',
    compare: 'if a <= b',
    lines: 'one -- two ... three',
  }
  let reader: Reader
  before(async () => {
    reader = await readerOf(Object.entries(TEXTS).map(([id, text], i) => ({ id, at: i, types: ['statuses'], text })))
  })
  for (const [q, expected] of [
    ['C++', ['plusplus', 'eleven']],
    ['"C++"', ['plusplus', 'eleven']],
    ['"learning c++ slowly"', ['plusplus']],
    ['c#', ['sharp']],
    ['F#', ['fsharp']],
    ['c', ['plain']],
    ['.NET', ['dotnet']],
    ['net', ['dotnet', 'net']],
    ['notepad', ['editor']],
    ['notepad++', ['editor']],
    ['#sunset', ['tag']],
    ['#sun*', ['tag']],
    ['sunset', ['tag', 'word']],
    ['sunset -#sunset', ['word']],
    ['@ada', ['mention']],
    ['ada', ['mention', 'name']],
    [':)', ['smile']],
    ['<=', ['compare']],
    ['--', []],
    ['...', []],
  ] as const)
    test(`q=${q} finds ${expected.join(', ') || 'nothing'}`, async () =>
      assert.deepEqual(await search(reader, q), expected))

  test('a handle is found with and without @, however the service writes it', async () => {
    const people = await readerOf([
      { id: 'bare', at: 1, types: ['contacts'], name: 'One', handle: 'zoe' },
      { id: 'at', at: 2, types: ['contacts'], name: 'Two', handle: '@zoe' },
    ])
    for (const q of ['@zoe', 'zoe']) assert.deepEqual(await search(people, q, 'contacts'), ['bare', 'at'], q)
  })
})
