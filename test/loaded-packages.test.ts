import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { promisify } from 'node:util'
import { childEnv } from './harness/child-env.ts'

// What a process loads, it keeps: each of these packages costs every process megabytes, and few requests or syncs need one of them.
const RARE = ['/@nats-io/', '/mysql2/', '/hyparquet-writer/', '/jose/']
const boot = join(import.meta.dirname, '../src/boot')

const PROGRAM = `
  import { registerHooks } from 'node:module'
  const loaded = new Set()
  registerHooks({
    resolve: (name, context, next) => {
      const found = next(name, context)
      loaded.add(found.url)
      return found
    },
  })
  for (const file of process.argv.slice(1)) await import(file)
  process.stdout.write(JSON.stringify({ loaded: [...loaded], builtin: process.moduleLoadList }))
  process.exit()
`

async function loadedBy(...files: string[]): Promise<{ loaded: string[]; builtin: string[] }> {
  const paths = files.map((file) => join(boot, file))
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM, ...paths], {
    env: childEnv,
    maxBuffer: 64 * 1024 * 1024,
  })
  return JSON.parse(stdout) as { loaded: string[]; builtin: string[] }
}

suite('packages that a process loads', () => {
  for (const [name, files, rare] of [
    ['the request process', ['app.ts'], RARE],
    ['the worker that syncs', ['worker-main.ts', 'sync-lane.ts'], [...RARE, '/find-my-way/', '/prom-client/', '/zod/']],
  ] as const)
    test(`${name} loads none that it rarely needs`, async () => {
      const { loaded, builtin } = await loadedBy(...files)
      const packages = loaded.filter((url) => url.includes('/node_modules/'))
      assert.ok(packages.some((url) => url.includes('/node_modules/pg/')))
      assert.deepEqual(
        packages.filter((url) => rare.some((part) => url.includes(`/node_modules${part}`))),
        [],
      )
      assert.deepEqual(
        builtin.filter((module) => module.includes('deps/undici')),
        [],
        'an import of node:http loads another HTTP client: use #platform/node-http.ts',
      )
    })
})
