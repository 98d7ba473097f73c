// Runs a TypeScript file of this repository on Node 24, after installing missing packages.
// Plain JavaScript, because it starts on any Node from 20 on.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isWebCurrent } from './build-web.mjs'
import { currentBundle, markUsed } from './bundle/current.mjs'
import { ensureInstalled } from './install.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const [target, ...rest] = process.argv.slice(2)
const needsTools = !target.startsWith('src/')

const version = process.versions.node.split('.').map(Number)
if (version[0] < 20) fail(`Node ${process.versions.node} is too old.`, 'Install Node 20 or newer: https://nodejs.org')

// Beside the installation and the start, which take as long; until it is done, the pages say so.
if (['demo', 'serve'].includes(rest[0]) && !isWebCurrent())
  spawn(process.execPath, [join(root, 'scripts/build-web.mjs')], { stdio: ['ignore', 2, 2] }).unref()

try {
  ensureInstalled(root, { tools: needsTools })
} catch (error) {
  fail(error.message, 'Check that npm can reach its registry, then run the same command again.')
}

// Node runs TypeScript directly since 24.12.
const isNewEnough = version[0] > 24 || (version[0] === 24 && version[1] >= 12)
const node = isNewEnough ? process.execPath : findNode()
const bundle = target === 'src/main.ts' ? findBundle() : undefined
const program = bundle === undefined ? resolve(root, target) : join(bundle, 'main.js')
// Compiled code is cached for the next start, which then takes half the time; that of a bundle is removed with it.
const cache = bundle === undefined ? join(root, 'node_modules', '.cache', 'tributary') : join(bundle, 'cache')

if (isNewEnough) {
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(cache)
  // For child processes.
  process.env.NODE_COMPILE_CACHE = cache
  process.argv.splice(1, process.argv.length - 1, program, ...rest)
  await import(pathToFileURL(program).href)
} else {
  startOn(node)
}

// What goes on running is worth a build when the sources have changed; a command runs the sources then.
function findBundle() {
  const lasts = ['demo', 'serve', 'work'].includes(rest[0])
  if (lasts && currentBundle(root) === undefined) {
    const { status } = spawnSync(node, [join(root, 'scripts/bundle/build.mjs')], { stdio: ['ignore', 2, 2] })
    if (status !== 0) process.stderr.write('The bundle was not built. The sources run without it, with more memory.\n')
  }
  const found = currentBundle(root)
  if (lasts && found !== undefined) markUsed(found)
  return found
}

function findNode() {
  const bundled = join(root, 'node_modules', '.bin', 'node')
  const works = existsSync(bundled) && spawnSync(bundled, ['--version']).status === 0
  return works
    ? bundled
    : fail(
        `Node ${process.versions.node} is too old, and the bundled Node does not run on ${process.platform}-${process.arch}.`,
        'Install Node 24.12 or newer and run the same command again.',
      )
}

// The child shares the terminal and receives Ctrl-C from it; signals sent only to this process are forwarded.
function startOn(node) {
  const child = spawn(node, [...process.execArgv, program, ...rest], {
    stdio: 'inherit',
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
  })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  process.on('SIGINT', () => {})
  child.on('error', (error) =>
    fail(error.message, 'Run the same command again. If it fails again, reinstall: rm -rf node_modules'),
  )
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)))
}

function fail(what, help) {
  process.stderr.write(`\n${what}\n${help}\n`)
  process.exit(3)
}
