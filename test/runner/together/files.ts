import { registerHooks } from 'node:module'
import { suite, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { configureGlobal } from 'fast-check'
import { seedOf } from '../../harness/effort.ts'
import { cpuSeconds } from '../cpu.ts'
import { askNext } from '../queue.ts'
import type { registrationsOf } from './registrations.ts'

// Runs test files one after another in one process, as long as the runner has more of them: loading the service takes longer
// than many of them. Each becomes a suite with the name of the file.

const replacement = new URL('registrations.ts', import.meta.url).href
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'node:test' && context.parentURL !== replacement
      ? { url: replacement, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context),
})
// Properties without a seed of their own: the same cases each time, except at night.
configureGlobal({ seed: seedOf('PROPERTY_SEED') })
const collector = (await import(replacement)) as { registrationsOf: typeof registrationsOf }

const MAX_BYTES = 700 * 1024 * 1024

const queue = process.env['TEST_QUEUE'] ?? ''
let before = cpuSeconds()
for (let next = await askNext(queue, 0); next !== undefined; ) {
  const file = next
  const load = () => import(pathToFileURL(file).href) as Promise<unknown>
  const fails = (error: unknown) => [
    () =>
      test('is loaded', () => {
        throw error
      }),
  ]
  const registrations = await collector.registrationsOf(load).catch(fails)
  // Outside of other suites this resolves when its tests have ended.
  await suite(file, () => {
    for (const register of registrations) void register()
  })
  const now = cpuSeconds()
  // Modules and what tests leave behind are not freed; the runner starts another process for the rest.
  const isLarge = process.memoryUsage.rss() > MAX_BYTES
  next = await askNext(queue, now - before, isLarge)
  before = now
}
