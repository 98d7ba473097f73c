// Builds the pages of web/ into web/dist, after installing their packages. Plain JavaScript, because it starts on any Node from 20 on.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { takeLock } from './build-lock.mjs'

const repository = fileURLToPath(new URL('..', import.meta.url))
/** What the built pages depend on. */
const SOURCES = [
  'web/src',
  'web/dashboard.html',
  'web/demo.html',
  'web/vite.config.ts',
  'web/package-lock.json',
  'sdk/src',
]
const STAMP = '.built-from'

/** Whether web/dist was built from the sources as they are. True without sources: an installation carries built pages only. */
export function isWebCurrent(root = repository) {
  if (!existsSync(join(root, 'web/src'))) return true
  const stamp = join(root, 'web/dist', STAMP)
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === sourceHash(root)
}

function sourceHash(root) {
  const hash = createHash('sha256')
  for (const source of SOURCES)
    for (const file of filesIn(join(root, source)).filter((name) => !name.endsWith('.test.ts')))
      hash.update(file.slice(root.length)).update(readFileSync(file))
  return hash.digest('hex')
}

function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesIn(join(path, name)))
}

/** Builds the pages if they are missing or older than their sources. One process at a time; others wait for it. Returns true if it built. */
export function buildWeb(root = repository) {
  if (isWebCurrent(root)) return false
  const release = takeLock(join(root, 'web', '.building'))
  try {
    if (isWebCurrent(root)) return false
    installWeb(root)
    const target = join(root, 'web', `dist-${process.pid}`)
    const built = sourceHash(root)
    run(
      process.execPath,
      [join(root, 'web/node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn', '--outDir', target],
      join(root, 'web'),
    )
    compress(join(target, 'assets'))
    writeFileSync(join(target, STAMP), built)
    replace(join(root, 'web/dist'), target)
    return true
  } finally {
    release()
  }
}

/** Installs the packages of web/ if they are missing or the lock file changed. */
export function installWeb(root = repository) {
  const web = join(root, 'web')
  const lock = createHash('sha256')
    .update(readFileSync(join(web, 'package-lock.json')))
    .digest('hex')
  const stamp = join(web, 'node_modules', '.tributary-install')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], web)
  writeFileSync(stamp, lock)
}

/** Compressed once here instead of for every request. */
function compress(folder) {
  for (const name of readdirSync(folder)) {
    const content = readFileSync(join(folder, name))
    writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }))
    const params = { [constants.BROTLI_PARAM_QUALITY]: 10 }
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content, { params }))
  }
}

/** A running server finds either the old folder or the new one, but for an instant. */
function replace(current, next) {
  const old = `${current}-old-${process.pid}`
  if (existsSync(current)) renameSync(current, old)
  renameSync(next, current)
  rmSync(old, { recursive: true, force: true })
}

function run(program, args, cwd) {
  mkdirSync(cwd, { recursive: true })
  const { status, error } = spawnSync(program, args, {
    cwd,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (error) throw new Error(`${program} could not be started: ${error.message}`)
  if (status !== 0) throw new Error(`${program} ${args[0]} failed with code ${status}.`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const started = Date.now()
  if (buildWeb()) process.stderr.write(`Built the pages in ${((Date.now() - started) / 1000).toFixed(1)} s.\n`)
}
