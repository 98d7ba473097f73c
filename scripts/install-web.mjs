import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('..', import.meta.url))

/** Installs the packages of web/, the tools of all builds, if they are missing or the lock file changed. */
export function installWeb(root = repository) {
  const web = join(root, 'web')
  const lock = createHash('sha256')
    .update(readFileSync(join(web, 'package-lock.json')))
    .digest('hex')
  const stamp = join(web, 'node_modules', '.tributary-install')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  runTool('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], web)
  writeFileSync(stamp, lock)
}

/** Runs a program of a build in a folder; what it prints is shown as messages. */
export function runTool(program, args, cwd) {
  const { status, error } = spawnSync(program, args, {
    cwd,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (error) throw new Error(`${program} could not be started: ${error.message}`)
  if (status !== 0) throw new Error(`${program} ${args[0]} failed with code ${status}.`)
}
