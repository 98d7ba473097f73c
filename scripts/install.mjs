import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Installs the packages if they are missing or the lock file changed. The service needs few of them; `tools` adds those of
 * tests and checks, without touching files that a running service may have open. Returns true if it installed something.
 */
export function ensureInstalled(root, options) {
  const modules = join(root, 'node_modules')
  // Installed tools stay installed: npm removes packages that it is not asked for.
  const tools = options.tools || existsSync(join(modules, 'typescript'))
  const stamp = join(modules, '.tributary-install')
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  const wanted = `${lock} ${process.platform}-${process.arch}`
  const [installed, installedTools] = existsSync(stamp) ? readFileSync(stamp, 'utf8').split('\n') : []
  if (installed === wanted && (installedTools === 'tools' || !tools)) return false

  // `npm ci` follows the lock file exactly, but empties the folder first. An existing folder, which a running service may use,
  // is updated by `npm install`, which checks the same hashes.
  const scope = tools ? '--include=dev' : '--omit=dev'
  const args = [
    ...(existsSync(modules) ? ['install', '--no-save'] : ['ci']),
    scope,
    '--include=optional',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  process.stderr.write(`Installing packages${tools ? ' and tools' : ''} (once) …\n`)
  const started = Date.now()
  const { status, error } = spawnSync('npm', args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (error) throw new Error(`npm could not be started: ${error.message}`)
  if (status !== 0) throw new Error(`npm ${args[0]} failed with code ${status}.`)
  writeFileSync(stamp, `${wanted}\n${tools ? 'tools' : ''}`)
  process.stderr.write(`Installed in ${Math.round((Date.now() - started) / 1000)} s.\n`)
  return true
}
