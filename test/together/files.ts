import { registerHooks } from 'node:module'
import { suite, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { registrationsOf } from './registrations.ts'

// Runs several test files one after another in one process: loading the service takes longer than many of them.
// Each becomes a suite with the name of the file.

const replacement = new URL('registrations.ts', import.meta.url).href
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'node:test' && context.parentURL !== replacement
      ? { url: replacement, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context),
})
const collector = (await import(replacement)) as { registrationsOf: typeof registrationsOf }

const files = JSON.parse(process.env['TEST_FILES'] ?? '[]') as string[]
const loaded: { file: string; registrations: (() => unknown)[] }[] = []
for (const file of files) {
  const load = () => import(pathToFileURL(file).href) as Promise<unknown>
  const fails = (error: unknown) => [
    () =>
      test('is loaded', () => {
        throw error
      }),
  ]
  loaded.push({ file, registrations: await collector.registrationsOf(load).catch(fails) })
}
// Not before all files are loaded, because tests start when they are registered.
for (const { file, registrations } of loaded)
  suite(file, () => {
    for (const register of registrations) register()
  })
