// Builds the pages of web/ and the client's package into web/dist, after installing the tools. Plain JavaScript, because it starts on any Node from 20 on.
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { takeLock } from './build-lock.mjs'
import { installWeb, runTool } from './install-web.mjs'

const repository = fileURLToPath(new URL('..', import.meta.url))
/** What the built pages depend on. */
const SOURCES = [
  'web/src',
  'web/dashboard.html',
  'web/demo.html',
  'web/vite.config.ts',
  'web/package-lock.json',
  'sdk/src',
  'sdk/scripts',
  'sdk/package.json',
  'sdk/README.md',
]
const STAMP = '.built-from'
/** The client's package, without a version in the name: `src/http/site/client-package.ts` reads it. */
const CLIENT = 'client.tgz'

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
    runTool(
      process.execPath,
      [join(root, 'web/node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn', '--outDir', target],
      join(root, 'web'),
    )
    compress(join(target, 'assets'))
    packClient(root, target)
    writeFileSync(join(target, STAMP), built)
    replace(join(root, 'web/dist'), target)
    return true
  } finally {
    release()
  }
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

/** Packs the client, which a running server offers for installation. */
function packClient(root, target) {
  const staged = mkdtempSync(join(target, '.client-'))
  runTool(process.execPath, [join(root, 'sdk/scripts/build.mjs'), staged], root)
  const flags = ['--ignore-scripts', '--pack-destination', target, '--loglevel=error', '--no-update-notifier']
  runTool('npm', ['pack', staged, ...flags], root)
  const packed = readdirSync(target).find((name) => name.endsWith('.tgz'))
  renameSync(join(target, packed), join(target, CLIENT))
  rmSync(staged, { recursive: true, force: true })
}

/** A running server finds either the old folder or the new one, but for an instant. */
function replace(current, next) {
  const old = `${current}-old-${process.pid}`
  if (existsSync(current)) renameSync(current, old)
  renameSync(next, current)
  rmSync(old, { recursive: true, force: true })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const started = Date.now()
  if (buildWeb()) process.stderr.write(`Built the pages in ${((Date.now() - started) / 1000).toFixed(1)} s.\n`)
}
