// Runs a TypeScript file of this repository on Node 24, installing what is missing first.
// Plain JavaScript, because it starts on whatever Node (>= 20) the machine has.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ensureInstalled } from './install.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const [target, ...rest] = process.argv.slice(2)
const needsTools = !target.startsWith('src/')

const own = process.versions.node.split('.').map(Number)
if (own[0] < 20)
  fail(`Node ${process.versions.node} is too old to start with.`, 'Install Node 20 or newer: https://nodejs.org')

// Stripped and compiled once, kept for the next start: half the time, and a fifth less memory.
const cache = join(root, 'node_modules', '.cache', 'tributary')

try {
  if (ensureInstalled(root, { tools: needsTools })) warm()
} catch (error) {
  fail(error.message, 'Check that npm reaches its registry, then run the same command again.')
}

// Running TypeScript as it is became stable in 24.12.
const fits = own[0] > 24 || (own[0] === 24 && own[1] >= 12)
const program = resolve(root, target)

if (fits) {
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(cache)
  // For the processes that we start ourselves.
  process.env.NODE_COMPILE_CACHE = cache
  process.argv.splice(1, process.argv.length - 1, program, ...rest)
  await import(pathToFileURL(program).href)
} else {
  startOn(findNode())
}

// The start right after an install shall be as light as every later one.
function warm() {
  const node = join(root, 'node_modules', '.bin', 'node')
  // A command loads only what it needs; the service needs nearly everything.
  const modules = ['worker-main.ts', 'app.ts', 'worker.ts', 'platform/queue/engine.ts'].map(
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
        `This machine has Node ${process.versions.node}, and the bundled one does not run on ${process.platform}-${process.arch}.`,
        'Install Node 24.12 or newer and run the same command again.',
      )
}

// The child shares our terminal and gets Ctrl-C from it; signals sent to us alone are passed on.
function startOn(node) {
  const child = spawn(node, [...process.execArgv, program, ...rest], {
    stdio: 'inherit',
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
  })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  process.on('SIGINT', () => {})
  child.on('error', (error) =>
    fail(error.message, 'Run the same command again; if it stays, reinstall: rm -rf node_modules'),
  )
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)))
}

function fail(what, help) {
  process.stderr.write(`\n${what}\n${help}\n`)
  process.exit(3)
}
