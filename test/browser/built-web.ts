import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { isWebCurrent } from '../../scripts/build-web.mjs'

const builder = join(import.meta.dirname, '../../scripts/build-web.mjs')

/** Builds the pages if they are not current: in a process of its own, so that servers and services in this one go on responding. */
export async function builtWeb(): Promise<void> {
  if (isWebCurrent()) return
  const [code] = (await once(spawn(process.execPath, [builder], { stdio: ['ignore', 2, 2] }), 'exit')) as [number]
  assert.equal(code, 0, 'the pages were not built')
}
