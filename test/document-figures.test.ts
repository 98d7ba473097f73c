import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { COMMANDS } from '#cli/commands.ts'
import { VARIABLES } from '#config/config.ts'
import { connectors } from '#connectors/index.ts'
import { DEMO_SERVICES } from '#flows/operations/demo-services.ts'
import { LANGUAGES } from '#http/pages/languages/languages.ts'
import { ROUTES } from '#http/routes.ts'
import { DESTINATION_KINDS } from '#model/apps/destination.ts'
import { OPERATOR_ROLES } from '#model/apps/operator.ts'
import { REASONS } from '#model/errors.ts'
import { MAY_IMPORT } from './harness/source/plan.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const find = (pattern: string): string[] =>
  globSync(pattern, { cwd: root }).filter((file) => !/node_modules|(^|\/)dist\//.test(file))

/** Pages beside the code. */
const FOLDER_PAGES = find('{src,migrations,test,bench}/**/README.md')
/** Pages whose statements are about the code as it is now. A change log and a decision are about the day they were written. */
const PAGES = [...find('{*.md,{docs,examples}/**/*.md,{sdk,lab,web}/*.md}'), ...FOLDER_PAGES].filter(
  (file) => file !== 'CHANGELOG.md' && !file.startsWith('docs/decisions/'),
)
const MAX_WORDS = { map: 1500, folder: 600 }

const NUMBERS = 'one two three four five six seven eight nine ten eleven twelve'.split(' ')
/** What a page may count, with the true number; `\d+` or a word stands before the name. */
const COUNTED: [name: RegExp, count: number][] = [
  [/(?:simulated|demo) services/, DEMO_SERVICES.length],
  [/languages/, LANGUAGES.length],
  [/roles/, OPERATOR_ROLES.length],
  [/routes/, ROUTES.length],
  [/commands/, COMMANDS.length],
  [/settings/, Object.keys(VARIABLES).length],
  [/connectors/, connectors.length],
  [/kinds of (?:push )?destinations?/, DESTINATION_KINDS.length],
  [/reasons/, Object.keys(REASONS).length],
  [/migrations/, find('migrations/*.sql').length],
]

/** The numbers before a name in a text. */
function countsIn(text: string, name: RegExp): number[] {
  const found = text.matchAll(new RegExp(`\\b(\\d[\\d,]*|${NUMBERS.join('|')})\\s+${name.source}\\b`, 'gi'))
  return [...found].map(([, number]) => {
    const word = NUMBERS.indexOf(number!.toLowerCase())
    return word === -1 ? Number(number!.replaceAll(',', '')) : word + 1
  })
}

/** Counts of a part, such as the routes of one app or two commands that belong together. */
const OF_A_PART: Record<string, RegExp> = {
  'docs/threat-model.md': /routes/,
  'src/platform/crypto/README.md': /commands/,
}

const wordsOf = (file: string): number => read(file).split(/\s+/).filter(Boolean).length

suite('figures in the documents', () => {
  for (const [name, count] of COUNTED)
    test(`pages that say how many ${name.source} there are say ${count}`, () => {
      const wrong = PAGES.filter((file) => OF_A_PART[file]?.source !== name.source).flatMap((file) =>
        countsIn(read(file), name)
          .filter((said) => said !== count)
          .map((said) => `${file} says ${said}`),
      )
      assert.deepEqual(wrong, [])
    })

  test('numbers are found as figures and as words', () => {
    assert.deepEqual(countsIn('It has 1,024 routes, six\nroutes and no routes.', /routes/), [1024, 6])
    assert.ok(countsIn(read('README.md'), /languages/).length > 0, 'README.md says in how many languages pages are')
  })

  test('the kinds of callers are complete wherever they are listed', () => {
    const auths = [...new Set(ROUTES.map(([, , { auth }]) => auth))]
    const [, row = ''] = /^\| auth \|(.*)\|$/m.exec(read('CONTRIBUTING.md')) ?? []
    assert.deepEqual(
      auths.filter((auth) => !new RegExp(`\`${auth}\`\\s+\\(`).test(read('src/http/README.md')) || !row.includes(auth)),
      [],
    )
  })
})

suite('the pages beside the code', () => {
  test(`ARCHITECTURE.md has at most ${MAX_WORDS.map} words`, () => {
    assert.ok(wordsOf('ARCHITECTURE.md') <= MAX_WORDS.map, `${wordsOf('ARCHITECTURE.md')} words`)
  })

  test(`a page of a folder has at most ${MAX_WORDS.folder} words`, () => {
    assert.ok(FOLDER_PAGES.length > 20)
    const long = FOLDER_PAGES.map((file) => [file, wordsOf(file)] as const).filter(([, n]) => n > MAX_WORDS.folder)
    assert.deepEqual(long, [])
  })

  test('ARCHITECTURE.md lists the folders of the sources, and each has its page', () => {
    const listed = [...read('ARCHITECTURE.md').matchAll(/^\| \[`src\/(\w+)`\]\(src\/\1\/README\.md\)/gm)].map(
      ([, name]) => name!,
    )
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
    assert.deepEqual(listed.toSorted(), folders.toSorted())
    assert.deepEqual(
      listed.filter((name) => !existsSync(join(root, 'src', name, 'README.md'))),
      [],
    )
  })

  test('ARCHITECTURE.md says which rooms a room may import, as the house test does', () => {
    const rows = [...read('ARCHITECTURE.md').matchAll(/^\| \[`src\/(\w+)`\][^|]*\|[^|]*\|([^|]*)\|/gm)]
    const said = Object.fromEntries(
      rows.map(([, room = '', list = '']) => [room, list.match(/\w+/g)?.filter((word) => word in MAY_IMPORT) ?? []]),
    )
    const { boot: _wiring, cli, ...others } = said
    const { cli: allowed, ...table } = MAY_IMPORT
    // Its row says: as http.
    assert.deepEqual([cli, allowed], [['http'], table['http']])
    assert.deepEqual(others, table)
  })

  test('each flow has its page', () => {
    const flows = readdirSync(join(root, 'src/flows'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    assert.deepEqual(
      flows.map(({ name }) => name).filter((name) => !existsSync(join(root, 'src/flows', name, 'README.md'))),
      [],
    )
  })

  test('folders that a page names by their whole path exist', () => {
    // The page of the pages names their folders from its own.
    const missing = PAGES.filter((file) => file !== 'web/README.md').flatMap((file) =>
      [...read(file).matchAll(/`((?:src|test|lab|bench|web|sdk)\/[\w/-]+)\/`/g)]
        .filter(([, path]) => !existsSync(join(root, path!)))
        .map(([, path]) => `${file} -> ${path}`),
    )
    assert.deepEqual(missing, [])
  })

  test('files that a page names by their whole path exist', () => {
    const missing = [...PAGES, ...find('docs/decisions/*.md')].flatMap((file) =>
      [...read(file).matchAll(/`((?:src|test|scripts|lab|bench|migrations|web|sdk|deploy)\/[\w./-]+\.\w+)`/g)]
        .filter(([, path]) => !existsSync(join(root, path!)))
        .map(([, path]) => `${file} -> ${path}`),
    )
    assert.deepEqual(missing, [])
  })

  test('a decision has a number of its own, a day, and says what it costs', () => {
    const files = find('docs/decisions/*.md')
    const numbers = files.map((file) => /\/(\d{3})-[a-z\d-]+\.md$/.exec(file)?.[1])
    assert.ok(!numbers.includes(undefined), 'NNN-title.md')
    assert.equal(new Set(numbers).size, files.length)
    const wrong = files.filter((file) => {
      const text = read(file)
      const hasDay = /^# .+\n\n\d{4}-\d{2}(?:-\d{2})?\n/.test(text)
      return !hasDay || !['Context', 'Decision', 'Price'].every((part) => text.includes(`**${part}.**`))
    })
    assert.deepEqual(wrong, [])
  })
})
