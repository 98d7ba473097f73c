import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadConfig } from '#config/config.ts'

const root = join(import.meta.dirname, '..')

/** The environment that compose.yaml gives the service when the operator sets nothing. */
function environmentOf(compose: string): Record<string, string> {
  const [, block = ''] = /\n {2}tributary:\n[\s\S]*?\n {4}environment:\n((?: {6}.*\n)+)/.exec(compose) ?? []
  return Object.fromEntries(
    [...block.matchAll(/^ {6}(\w+): *(.*)$/gm)].map(([, name, value]) => [
      name!,
      value!.replace(/\$\{\w+(?::-([^}]*))?\}/g, (_, fallback: string | undefined) => fallback ?? ''),
    ]),
  )
}

test('compose.yaml gives an environment that the service accepts', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-compose-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'database_url'), 'postgres://tributary:password@postgres/tributary\n')
  writeFileSync(join(folder, 'key'), `${randomBytes(32).toString('base64')}\n`)
  writeFileSync(join(folder, 'admin_token'), `${randomBytes(24).toString('base64')}\n`)
  const given = environmentOf(readFileSync(join(root, 'compose.yaml'), 'utf8'))
  assert.ok('TRUST_PROXY' in given && 'DATABASE_URL_FILE' in given)
  const mounted = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, value.replace('/run/secrets', folder)]),
  )
  assert.deepEqual(loadConfig(mounted).trustProxy, [])
})
