import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'

const root = join(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
/** Texts of pages in other languages: French has “pour”. */
const TRANSLATION = /\/languages\/[\w-]+\/(?!en\.|index\.)\w+\.ts$/
const filesIn = (pattern: string): string[] =>
  globSync(pattern, { cwd: root }).filter(
    (file) => !file.includes('node_modules') && !file.endsWith('words.test.ts') && !TRANSLATION.test(file),
  )

// The lab speaks of the services it simulates, in their words.
const code = filesIn('{src,test,bench,scripts,sdk/src,sdk/scripts,web/src}/**/*.{ts,tsx,mjs}')
const prose = [
  ...filesIn('{src,test,bench,scripts,lab,sdk/src,sdk/scripts,web/src}/**/*.{ts,tsx,mjs}'),
  ...filesIn('migrations/*.sql'),
  ...filesIn('*.md').filter((file) => file !== 'CONTRIBUTING.md'),
  ...filesIn('{docs,examples,src}/**/*.md'),
  ...filesIn('examples/*/*.{js,py,sh,sql,html}'),
  ...filesIn('{sdk,web,migrations,bench}/*.md'),
  ...filesIn('test/**/*.md'),
]

/** Names that the glossary replaced. As English words they are free; as names in code they are not. */
const NAMES = [
  'need',
  'house',
  'ground',
  'door',
  'budget',
  'tally',
  'guest',
  'shelf',
  'shelves',
  'twin',
  'twins',
  'tomb',
  'tombs',
  'bury',
  'unbury',
  'absorb',
  'overtaken',
  'hiccup',
  'wishes',
  'lapse',
  'tidy',
  'popular',
  'pour',
  'recalled',
  'respelled',
  'nameless',
  'unhurried',
]
/** Phrases that read as translated. */
const PHRASES = [
  /(?<!\bthere )\bis no (?!longer\b|more\b|less\b|different\b|better\b|worse\b|need\b)/i,
  /\bComes it\b/,
  /\bwhoever\b/i,
  /\bon the fly\b/i,
  /\bsomebody's word\b/i,
]

/** The words in backticks of the glossary's last column. */
function refusedByGlossary(): string[] {
  const [, section = ''] = read('CONTRIBUTING.md').split('\n## Glossary\n')
  const [table = ''] = section.split('\n## ')
  const rows = table.split('\n').filter((line) => line.startsWith('| '))
  return rows.slice(1).flatMap((row) =>
    [
      ...row
        .split('|')
        .at(-2)!
        .matchAll(/`([^`]+)`/g),
    ].map(([, word]) => word!),
  )
}

function patternOf(word: string): RegExp {
  const text = word.replaceAll('…', '')
  return new RegExp(
    `${/^\w/.test(word) && !word.endsWith('_MS') ? '\\b' : ''}${text}${word.endsWith('_') ? '' : '\\b'}`,
  )
}

/** Names only: without comments, strings and templates. */
function namesIn(source: string): Set<string> {
  const bare = source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g, ' ')
  return new Set(bare.match(/[A-Za-z_$][\w$]*/g) ?? [])
}

const wordsOf = (name: string): string[] =>
  name.split(/_|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).map((word) => word.toLowerCase())

suite('words', () => {
  test('the glossary lists words that went out', () => {
    assert.ok(refusedByGlossary().length > 40, 'CONTRIBUTING.md, ## Glossary, third column')
  })

  test('no code uses a word that the glossary refuses', () => {
    const patterns = refusedByGlossary().map((word) => ({ word, pattern: patternOf(word) }))
    const wrong = [...code, ...filesIn('migrations/*.sql')].flatMap((file) => {
      const text = read(file)
      return patterns.filter(({ pattern }) => pattern.test(text)).map(({ word }) => `${file}: ${word}`)
    })
    assert.deepEqual(wrong, [])
  })

  test('no name is made of a word that the glossary replaced', () => {
    const wrong = code.flatMap((file) =>
      [...namesIn(read(file))]
        .filter((name) => wordsOf(name).some((word) => NAMES.includes(word)))
        .map((name) => `${file}: ${name}`),
    )
    assert.deepEqual(wrong, [])
  })

  test('comments, messages and documents use plain phrases', () => {
    const wrong = prose.flatMap((file) =>
      read(file)
        .split('\n')
        .flatMap((line, i) =>
          PHRASES.some((phrase) => phrase.test(line)) ? [`${file}:${i + 1}: ${line.trim()}`] : [],
        ),
    )
    assert.deepEqual(wrong, [])
  })
})
