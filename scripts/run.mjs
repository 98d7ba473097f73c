// Runs a TypeScript file of this repository on Node 24, after installing missing packages.
// Plain JavaScript, because it starts on any Node from 20 on.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isWebCurrent } from './build-web.mjs'
import { ensureInstalled } from './install.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const [target, ...rest] = process.argv.slice(2)
const needsTools = !target.startsWith('src/')

const version = process.versions.node.split('.').map(Number)
if (version[0] < 20) fail(`Node ${process.versions.node} is too old.`, 'Install Node 20 or newer: https://nodejs.org')

// Stripped and compiled code is cached for the next start, which then takes half the time and a fifth less memory.
const cache = join(root, 'node_modules', '.cache', 'tributary')

// Beside the installation and the start, which take as long; until it is done, the pages say so.
if (['demo', 'serve'].includes(rest[0]) && !isWebCurrent())
  spawn(process.execPath, [join(root, 'scripts/build-web.mjs')], { stdio: ['ignore', 2, 2] }).unref()

try {
  if (ensureInstalled(root, { tools: needsTools })) fillCompileCache()
} catch (error) {
  fail(error.message, 'Check that npm can reach its registry, then run the same command again.')
}

// Node runs TypeScript directly since 24.12.
const isNewEnough = version[0] > 24 || (version[0] === 24 && version[1] >= 12)
const program = resolve(root, target)

if (isNewEnough) {
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(cache)
  // For child processes.
  process.env.NODE_COMPILE_CACHE = cache
  process.argv.splice(1, process.argv.length - 1, program, ...rest)
  await import(pathToFileURL(program).href)
} else {
  startOn(findNode())
}

// So that the first start after an install is as fast as later ones.
function fillCompileCache() {
  const node = join(root, 'node_modules', '.bin', 'node')
  // A command loads few modules; the service loads nearly all of them.
  const modules = ['boot/worker-main.ts', 'boot/app.ts', 'boot/inline-workers.ts'].map(
    (file) => pathToFileURL(join(root, 'src', file)).href,
  )
  spawnSync(node, [...modules.flatMap((module) => ['--import', module]), join(root, 'src', 'main.ts'), 'version'], {
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
    stdio: 'ignore',
  })
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
