import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { programsMissing } from '../harness/programs.ts'
import { difference } from './compare-output.ts'
import { markerOf, type PageScript, writePage } from './page-script.ts'
import { type Block, readBlocks } from './read-blocks.ts'
import { prepareDesk, type Reader, startReader } from './reader.ts'
import { prepareVendorDesk, vendorsMissing } from './vendor-desk.ts'

const root = join(import.meta.dirname, '../..')
const PAGES = ['README.md', 'docs/**/*.md', 'sdk/README.md', 'examples/*/README.md'].flatMap((pattern) =>
  globSync(pattern, { cwd: root }).sort(),
)
/** This page begins before there is an app or a person. */
const BARE = ['docs/integrate.md']
/** This one calls vendors with their SDKs. */
const WITH_VENDORS = 'docs/guides/use-a-vendors-sdk.md'
/** Long enough for the slowest page on a busy machine. */
const PAGE_TIMEOUT_MS = 900_000

const blocksOf = (page: string) => readBlocks(readFileSync(join(root, page), 'utf8'))
const isRun = ({ use }: Block) => use.kind === 'run'

/** Runs the script of a page; the output of each block by its line. */
async function runPage(page: string, reader: Reader, checked: string[]): Promise<void> {
  const blocks = blocksOf(page)
  const name = page.replaceAll(/\W/g, '-')
  const desk =
    page === WITH_VENDORS ? await prepareVendorDesk(reader, name) : await prepareDesk(reader, name, BARE.includes(page))
  try {
    const written: PageScript = writePage(blocks, desk.folder, desk.addresses)
    checked.push(...written.typed)
    writeFileSync(join(desk.folder, '.page.sh'), written.script)
    const { code, stdout, stderr } = await bash(desk.folder, desk.env)
    const outputs = outputsOf(blocks, stdout)
    const last = [...outputs.keys()].at(-1)
    assert.equal(code, 0, `${page}: the block at line ${last} failed\n${outputs.get(last!)}\n${stderr.slice(-3000)}`)
    for (const [index, block] of blocks.entries()) {
      if (block.use.kind !== 'output') continue
      const before = blocks.slice(0, index).findLast(isRun)
      assert.ok(before !== undefined, `${page}:${block.line}: there is no block before this output`)
      const wrong = difference(block.language, block.text, outputs.get(before.line) ?? '')
      assert.equal(wrong, undefined, `${page}:${block.line}: the output differs: ${wrong}`)
    }
  } finally {
    await desk.remove()
  }
}

function bash(cwd: string, env: Record<string, string>) {
  return new Promise<{ code: number | string | null; stdout: string; stderr: string }>((resolve) => {
    execFile('bash', ['.page.sh'], { cwd, env, timeout: PAGE_TIMEOUT_MS }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code ?? error.signal ?? 'killed'), stdout, stderr }),
    )
  })
}

function outputsOf(blocks: readonly Block[], stdout: string): Map<number, string> {
  const outputs = new Map<number, string>()
  for (const { line } of blocks) {
    const [, after] = stdout.split(`${markerOf(line)}\n`)
    if (after !== undefined) outputs.set(line, after.split(/\n@@ block at line \d+ @@\n/)[0]!)
  }
  return outputs
}

const skip = programsMissing('bash', 'curl', 'jq', 'psql', 'python3')
const withoutVendors = await vendorsMissing()
suite('the blocks of the documentation', { concurrency: 3, skip }, () => {
  let reader: Reader
  const typed: string[] = []
  const finished: Promise<void>[] = []
  before(async () => {
    reader = await startReader()
  })
  after(() => reader.stop())

  for (const page of PAGES) {
    if (!blocksOf(page).some(isRun)) continue
    const cannotRun = page === WITH_VENDORS && withoutVendors
    test(`${page} runs from top to bottom`, { skip: cannotRun }, async () => {
      const run = runPage(page, reader, typed)
      finished.push(run)
      await run
    })
  }

  test('TypeScript has the types that it uses', async () => {
    await Promise.allSettled(finished)
    assert.ok(typed.length > 5)
    const options = [
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--lib',
      'es2024,dom,dom.iterable',
      '--types',
      'node',
    ]
    const flags = ['--strict', '--noEmit', '--skipLibCheck', '--allowImportingTsExtensions', '--ignoreConfig']
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const said = await new Promise<string>((resolve) => {
      execFile(process.execPath, [compiler, ...flags, ...options, ...typed], { cwd: reader.folder }, (_error, stdout) =>
        resolve(stdout),
      )
    })
    assert.equal(said, '')
  })

  test('a block that is not run says why, and these are all', (t) => {
    const marks = PAGES.flatMap((page) =>
      blocksOf(page).flatMap(({ use, line, language }) =>
        use.kind === 'no-run' ? [`${page}:${line} ${language}: ${use.reason}`] : [],
      ),
    )
    for (const mark of marks) t.diagnostic(`not run: ${mark}`)
    const all = PAGES.flatMap(blocksOf)
    t.diagnostic(`${all.length - marks.length} of ${all.length} blocks are run or compared`)
    assert.ok(marks.length * 3 < all.length, `${marks.length} of ${all.length} blocks are not run`)
  })
})

suite('the reader of blocks', () => {
  const fence = '```'
  test('finds blocks, also indented ones, with their marks', () => {
    const page = `a\n${fence}sh\necho 1\n${fence}\n- b\n\n  ${fence}json output\n  {"a":\n    1}\n  ${fence}\n${fence}sh no-run: needs a domain\nx\n${fence}\n`
    assert.deepEqual(readBlocks(page), [
      { line: 2, language: 'sh', text: 'echo 1\n', use: { kind: 'run' } },
      { line: 7, language: 'json', text: '{"a":\n  1}\n', use: { kind: 'output' } },
      { line: 11, language: 'sh', text: 'x\n', use: { kind: 'no-run', reason: 'needs a domain' } },
    ])
  })

  test('refuses a mark without a reason, an unknown mark, and a block without an end', () => {
    assert.throws(() => readBlocks(`${fence}sh no-run\nx\n${fence}\n`), /neither/)
    assert.throws(() => readBlocks(`${fence}sh skip\nx\n${fence}\n`), /neither/)
    assert.throws(() => readBlocks(`${fence}sh\nx\n`), /does not end/)
  })

  test('refuses languages that cannot be run, and JSON that is none', () => {
    const blocks = (text: string) => readBlocks(text)
    assert.throws(() => writePage(blocks(`${fence}yaml\na: 1\n${fence}\n`), '.', {}), /mark it/)
    assert.throws(() => writePage(blocks(`${fence}\na\n${fence}\n`), '.', {}), /mark it/)
    assert.throws(() => writePage(blocks(`${fence}json\n{…}\n${fence}\n`), '.', {}), /JSON/)
  })

  test('compares outputs: … is anything, other fields may be there, and nothing else', () => {
    assert.equal(difference('text', 'a…c\n', 'abbc'), undefined)
    assert.match(difference('text', 'a…d', 'abbc')!, /abbc/)
    assert.equal(difference('json', '{"a": "x…", "b": [1, "…"]}', '{"a": "xyz", "b": [1, 2, 3], "c": 4}'), undefined)
    assert.equal(difference('json', '{"a": "…"}', '{"a": 5}'), undefined)
    assert.match(difference('json', '{"a": {"b": 1}}', '{"a": {"b": 2}}')!, /\.a\.b is 2/)
    assert.match(difference('json', '{"b": [1]}', '{"b": [1, 2]}')!, /\.b is/)
    assert.match(difference('json', '{"b": 1}', '{}')!, /\.b is undefined/)
  })
})
