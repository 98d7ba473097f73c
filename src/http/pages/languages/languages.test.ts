import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { TEXTS as CONNECT } from './connect/index.ts'
import { chooseLanguage, LANGUAGES, type Language } from './languages.ts'
import { speaker } from './speak.ts'
import type { Plural, Texts } from './texts.ts'

/** Words that are spelled as in English, by language. */
const SAME_AS_ENGLISH: Partial<Record<Language, readonly string[]>> = { de: ['optional'], es: ['errorTitle'] }

const formsOf = (text: string | Plural): string[] => (typeof text === 'string' ? [text] : Object.values(text))
const valuesIn = (form: string): string[] => [...form.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).toSorted()

const areas = globSync('*/index.ts', { cwd: import.meta.dirname }).toSorted()

suite('texts of pages', () => {
  test('there are some', () => assert.ok(areas.length > 0))

  for (const file of areas) {
    const load = async () =>
      ((await import(join(import.meta.dirname, file))) as { TEXTS: Record<Language, Texts> }).TEXTS

    test(`${file}: every language has every text, with the values and plurals that it takes`, async () => {
      const texts = await load()
      for (const language of LANGUAGES) {
        const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
        assert.deepEqual(Object.keys(texts[language]), Object.keys(texts.en), language)
        for (const [key, english] of Object.entries(texts.en)) {
          const text = texts[language][key]!
          const expected = [...new Set(valuesIn(typeof english === 'string' ? english : english.other))]
          for (const form of formsOf(text)) {
            assert.ok(form.trim() !== '' && form === form.trim(), `${language} ${key}: empty, or with spaces around it`)
            // “one service” says its number in words in some languages.
            const spelled = typeof text === 'string' || form === text.other ? [] : ['count']
            const values = new Set([...valuesIn(form), ...spelled])
            assert.deepEqual([...values].toSorted(), expected, `${language} ${key}: the values of the text`)
            assert.doesNotMatch(form.replaceAll(/\{\w+\}/g, ''), /[{}<>]/, `${language} ${key}: no HTML, no braces`)
          }
          if (typeof text !== 'string')
            assert.deepEqual(Object.keys(text).toSorted(), pluralCategories.toSorted(), `${language} ${key}: plurals`)
        }
      }
    })

    test(`${file}: French marks do not stand alone at the beginning of a line`, async () => {
      for (const [key, text] of Object.entries((await load()).fr))
        for (const form of formsOf(text)) assert.doesNotMatch(form, /« | [?!:;»]/, key)
    })

    // Words of the other form of address, or of the other country: a page must not change between them.
    const MIXED: [Language, RegExp][] = [
      ['de', /(?<!\p{L})(du|dein|deine|deinen|dir|dich)(?!\p{L})/iu],
      ['fr', /(?<!\p{L})(tu|ton|ta|tes|toi)(?!\p{L})/iu],
      [
        'es',
        /(?<!\p{L})(tú|tu|tus|ti|contigo|tuya|tienes|puedes|elige|sube|subas|exporta|inténtalo|descomprímelo)(?!\p{L})/iu,
      ],
      [
        'pt',
        /(?<!\p{L})(partilha\w*|ficheiros?|hiperligação|ligação|ligações|aplicação|utilizador|telemóvel|sobre si)(?!\p{L})/iu,
      ],
    ]
    for (const [language, mixed] of MIXED)
      test(`${file}: ${language} has one form of address and one country`, async () => {
        for (const [key, text] of Object.entries((await load())[language]))
          for (const form of formsOf(text)) assert.doesNotMatch(form, mixed, key)
      })

    test(`${file}: Arabic has its own marks`, async () => {
      for (const [key, text] of Object.entries((await load()).ar))
        for (const form of formsOf(text)) assert.doesNotMatch(form, /[?;“”"]|,(?!\d)/, key)
    })

    test(`${file}: nothing is left in English`, async () => {
      const texts = await load()
      for (const language of LANGUAGES.filter((each) => each !== 'en')) {
        const same = Object.entries(texts.en)
          .filter(([key, english]) => formsOf(english).some((form) => formsOf(texts[language][key]!).includes(form)))
          .map(([key]) => key)
        assert.deepEqual(
          same.filter((key) => SAME_AS_ENGLISH[language]?.includes(key) !== true),
          [],
          language,
        )
        const script = { ja: /[\u3040-\u30ff\u4e00-\u9fff]/, ar: /[\u0600-\u06ff]/ }[language as string]
        for (const [key, text] of Object.entries(texts[language]))
          if (script !== undefined) for (const form of formsOf(text)) assert.match(form, script, `${language} ${key}`)
      }
    })
  }
})

suite('language of a page', () => {
  const CASES: [locale: string | undefined, header: string | undefined, expected: Language][] = [
    [undefined, undefined, 'en'],
    ['de', 'fr', 'de'],
    ['pt-BR', undefined, 'pt'],
    ['de_AT', undefined, 'de'],
    ['AR', undefined, 'ar'],
    ['xx', 'ja', 'ja'],
    ['', 'es', 'es'],
    [undefined, 'nl, fr;q=0.4, de;q=0.8', 'de'],
    [undefined, 'de;q=0, fr;q=0.1', 'fr'],
    [undefined, 'fr, de', 'fr'],
    [undefined, ' ES-mx ;q=0.9', 'es'],
    [undefined, '*', 'en'],
    [undefined, ';;;q=,,q=x', 'en'],
    [undefined, `${'x,'.repeat(5000)}de`, 'en'],
  ]
  for (const [locale, header, expected] of CASES)
    test(`${locale} ${header?.slice(0, 30)}: ${expected}`, () => assert.equal(chooseLanguage(locale, header), expected))
})

suite('speaker', () => {
  test('fills in values, escaped and isolated', () => {
    const { say, plain } = speaker(CONNECT, 'en')
    assert.equal(say('back', { app: '<b>' }).text, 'Back to &lt;b&gt;')
    assert.equal(say('back', { app: 'תטא' }).text, 'Back to <bdi>תטא</bdi>')
    assert.equal(plain('back', { app: '<b>' }), 'Back to <b>')
    assert.equal(say('back', { app: '{app}' }).text, 'Back to {app}')
    assert.ok(speaker(CONNECT, 'ar').say('back', { app: 'Lab' }).text.includes('<bdi>Lab</bdi>'))
    assert.ok(speaker(CONNECT, 'ar').plain('back', { app: 'Lab App' }).includes('\u2068Lab App\u2069'))
  })

  test('chooses plurals by the language', () => {
    assert.equal(speaker(CONNECT, 'en').plain('found', { count: 1 }), '1 service')
    assert.equal(speaker(CONNECT, 'de').plain('found', { count: 1200 }), '1.200 Dienste')
    const { plain } = speaker(CONNECT, 'ar')
    assert.equal(new Set([0, 1, 2, 3, 11].map((count) => plain('found', { count }).replaceAll(/\P{L}/gu, ''))).size, 5)
  })

  test('writes dates, times and lists as the language does', () => {
    const at = Date.UTC(2026, 2, 5, 14, 30)
    assert.equal(speaker(CONNECT, 'de').date(at), '5. März 2026')
    assert.equal(speaker(CONNECT, 'de').time(at), '14:30 UTC')
    assert.equal(speaker(CONNECT, 'fr').list(['a', 'b', 'c']), 'a, b et c')
    assert.equal(speaker(CONNECT, 'ar').list(['A B', 'صورك']), '\u2068A B\u2069 وصورك')
    assert.equal(speaker(CONNECT, 'en').list(['A', 'תטא']), 'A and \u2068תטא\u2069')
  })
})
