import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { takeApart } from './harness/source/source-text.ts'

// Timing on a shared machine mostly measures the machine, so the sources are read instead.

const root = join(import.meta.dirname, '..')
const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))

const SECRET = /(?:secret|token|hash|digest|signature|mac|password|proof|challenge|verifier|browser)s?$/i
const NAME = String.raw`[a-z_$][\w$]*(?:[?!]?\.#?[a-z_$][\w$]*|\[[^\]]*\]|!)*`
// One space or a new line: more are the place of a string.
const COMPARISON = new RegExp(String.raw`(${NAME}) ?[!=]==?(?: ?|\n\s*)(${NAME})`, 'gi')
const EQUALS = new RegExp(String.raw`(${NAME})\.equals\((?:\n\s*)?(${NAME})`, 'gi')
const CONSTANTS = new Set(['undefined', 'null', 'true', 'false'])

/** Nothing here is a guess that a stranger sends: both values come from one place, or no secret is compared. */
const HARMLESS: Record<string, string> = {
  'src/destinations/files/s3-store.ts': 'the position of a listing, compared with the last one of the same server',
  'src/flows/apply/apply-refresh-token.ts': 'a token that the app gave, with the same one in the store',
  'src/flows/apply/apply.ts': 'a token that the app gave, with what the service returned for it',
  'src/identity/revoke-token.ts': 'two stored tokens of one person',
  'src/flows/push/deliver/deliver-profile.ts': 'the digest of a profile that was delivered',
  'src/flows/push/deliver/record-in-feed.ts': 'the digest of a profile that was delivered',
  'src/store/backup/frames.ts': 'a checksum, which proves nothing but that the file is complete',
  'src/upstream/oauth2/refresh.ts': 'a stored token with the one that replaced it',
  'src/upstream/oauth2/revoke.ts': 'two stored tokens of one person',
}

function comparedSecrets(source: string): string[] {
  const { code } = takeApart(source)
  return [COMPARISON, EQUALS]
    .flatMap((pattern) => [...code.matchAll(pattern)])
    .filter(([, one, other]) => ![one, other].some((name) => CONSTANTS.has(name!)))
    .filter(([, one, other]) => [one, other].some((name) => SECRET.test(name!.replace(/[!\]]+$/, ''))))
    .map(([text]) => text.replaceAll(/\s+/g, ' '))
}

suite('S20 secrets are compared in constant time', () => {
  test('and never by an operator or method that stops at the first difference', () => {
    const found = sources.map((file) => ({ file, compared: comparedSecrets(readFileSync(join(root, file), 'utf8')) }))
    const wrong = found.filter(({ file, compared }) => compared.length > 0 && !Object.hasOwn(HARMLESS, file))
    assert.deepEqual(wrong, [])
    const unused = Object.keys(HARMLESS).filter((file) =>
      found.some((each) => each.file === file && each.compared.length === 0),
    )
    assert.deepEqual(unused, [], 'excused without need')
  })

  test('where a file imports the constant comparison, it uses it', () => {
    const users = sources.flatMap((file) => {
      const { code } = takeApart(readFileSync(join(root, file), 'utf8'))
      return /\btimingSafeEqual\b/.test(code) ? [{ file, calls: code.split('timingSafeEqual(').length - 1 }] : []
    })
    assert.ok(users.some(({ file }) => file === 'src/http/server/authenticate.ts'))
    assert.deepEqual(
      users.filter(({ calls }) => calls === 0),
      [],
    )
  })

  test('the rule finds what it is for', () => {
    for (const source of [
      'given === adminToken',
      'if (hash !== row.secretHash) {}',
      'link.sessionHash.equals(hashed)',
      'a.b?.signature == c',
      'a.b.token ===\n  c',
      'found[0]!.token! === given',
    ])
      assert.equal(comparedSecrets(source).length, 1, source)
    for (const source of [
      'token === undefined',
      "kind === 'token'",
      "typeof token === 'string'",
      'a.length !== token.length',
    ])
      assert.deepEqual(comparedSecrets(source), [], source)
  })
})
