import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { installWeb } from './install-web.mjs'

const root = join(import.meta.dirname, '..')

const STRUCTURE_TESTS = [
  'test/house.test.ts',
  'test/checks.test.ts',
  'test/words.test.ts',
  'test/docs.test.ts',
  'test/document-figures.test.ts',
  'test/package-names.test.ts',
  'test/threat-model.test.ts',
]

// Types, lint, format, structure rules, words, generated docs, dead exports: checks that do not run the service.
const STEPS: [name: string, command: string, args: string[]][] = [
  ['types', 'tsc', ['-p', '.']],
  ['types of the SDK', 'tsc', ['-p', 'sdk', '--noEmit']],
  ['types of the pages', 'tsc', ['-p', 'web', '--noEmit']],
  ['lint', 'oxlint', ['--quiet']],
  ['format', 'biome', ['check', '--diagnostic-level=error']],
  ['structure, words and docs', 'node', ['--test', '--test-reporter=dot', ...STRUCTURE_TESTS]],
  ['dead exports', 'knip', ['--no-progress']],
]

installWeb(root)
let failed = 0
for (const [name, command, args] of STEPS) {
  const started = Date.now()
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules', '.bin', command), args, {
    cwd: root,
    encoding: 'utf8',
  })
  const seconds = ((Date.now() - started) / 1000).toFixed(1)
  process.stdout.write(`${status === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)\n`)
  if (status !== 0) {
    failed += 1
    process.stdout.write(`${stdout}${stderr}\n`)
  }
}
process.exitCode = failed === 0 ? 0 : 1
