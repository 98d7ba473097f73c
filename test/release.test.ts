import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { releaseFiles } from '../scripts/release/files.ts'

const root = join(import.meta.dirname, '..')

/** Patterns of real secrets: ours, those of clouds and code hosts, private keys. */
const SECRETS = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----\n/,
  /\bAKIA(?!IOSFODNN7EXAMPLE)[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{36}\b/,
  /\bgithub_pat_\w{22,}/,
  /\bxox[abpr]-[0-9A-Za-z-]{10,}/,
  /\bAIza[0-9A-Za-z_-]{35}\b/,
  /\bsk_live_\w{16,}/,
  /\bwhsec_[A-Za-z0-9+/=]{24,}/,
  /\btr[a-z]_[0-9a-hjkmnp-tv-z]{52,}/,
  /\beyJ[\w-]{20,}\.eyJ[\w-]{20,}\.[\w-]{20,}/,
]
/** Invented for the tests of the filter that redacts such texts. */
const MADE_UP = ['src/platform/telemetry/redact.test.ts']

/** The files that git would keep; in a copy without git everything but packages and data. */
function sources(): string[] {
  try {
    const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
    return listed.toString().split('\n').filter(Boolean)
  } catch {
    return globSync('**', { cwd: root, exclude: (name) => /^(?:node_modules|data|\.git)$/.test(name) })
  }
}

suite('S57 a release', () => {
  test('S57 contains exactly the files of test/release-files.txt (npm run docs writes it)', () => {
    assert.deepEqual(readFileSync(join(root, 'test/release-files.txt'), 'utf8').trimEnd().split('\n'), releaseFiles())
  })

  test('S57 contains sources, migrations and metadata; no tests, links, executables or large files', () => {
    const top = ['.npmrc', 'LICENSE', 'NOTICE', 'package-lock.json', 'package.json']
    for (const file of releaseFiles()) {
      assert.ok(
        top.includes(file) ||
          /^(?:src\/.+(?<!\.test)\.ts|src\/http\/describe\/docs\/try-it\.js|docs\/(?:\w+\/)?[\w-]+\.(?:md|svg)|docs\/limits\.json|migrations\/[\w-]+\.sql)$/.test(
            file,
          ),
        file,
      )
      const { mode, size } = lstatSync(join(root, file))
      assert.equal(mode & 0o170111, 0o100000, `${file} is not a regular file`)
      assert.ok(size < 200_000, `${file} has ${size} bytes`)
    }
  })

  test('S57 contains no secret, and neither does the rest of the repository', () => {
    const found = sources()
      .filter((file) => !MADE_UP.includes(file) && lstatSync(join(root, file)).isFile())
      .filter((file) => {
        const text = readFileSync(join(root, file), 'utf8')
        return SECRETS.some((shape) => shape.test(text))
      })
    assert.deepEqual(found, [])
    const known = readFileSync(join(root, MADE_UP[0]!), 'utf8')
    assert.ok(
      SECRETS.some((shape) => shape.test(known)),
      'the scan finds what is there',
    )
  })
})
