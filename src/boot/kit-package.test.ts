import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { defineConnector } from '#kit/public.ts'
import { provideKitPackage } from './kit-package.ts'

suite('provideKitPackage', () => {
  for (const name of ['@tributary-hub/server/kit', 'tributary/kit'])
    test(`a file anywhere imports the kit as ${name}`, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'tributary-kit-'))
      t.after(() => rmSync(folder, { recursive: true }))
      const file = join(folder, 'connector.ts')
      writeFileSync(file, `export { defineConnector as default } from '${name}'\n`)
      provideKitPackage()
      assert.equal(((await import(file)) as { default: unknown }).default, defineConnector)
    })
})
