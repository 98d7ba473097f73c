// Installs the packages of a folder here on first use and keeps them in a cache outside the clone, keyed by the
// lock file, so that a fresh clone links to them at once. Manual use: node test/real/install.mjs [core] [bluesky]
// [mcp] [schemas] [linter] [runtimes] [helm] [express] [sdks]
import { spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import * as fs from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const folders = {
  core: here,
  bluesky: join(here, 'bluesky'),
  mcp: join(here, 'mcp'),
  schemas: join(here, 'schemas'),
  linter: join(here, 'linter'),
  runtimes: join(here, 'runtimes'),
  helm: join(here, 'helm'),
  express: join(here, 'express'),
  sdks: join(here, 'sdks'),
}
const manifests = ['package.json', 'package-lock.json', '.npmrc']
const stampName = '.tributary-stamp'
const heartbeatMs = 1000
const abandonedLockMs = 20_000
const rememberFailureMs = 120_000
const installTimeoutMs = 300_000
const unusedEntryMs = 30 * 24 * 3600_000

const say = (text) => process.stderr.write(`test/real: ${text}\n`)
const ageMs = (path) => Date.now() - fs.statSync(path).mtimeMs

/**
 * Installs the packages of a folder unless they are present; returns whether they are, and if not, why. Never
 * throws.
 */
export async function ensureInstalled(name) {
  const folder = folders[name]
  if (folder === undefined) return { ready: false, reason: `test/real knows no folder named ${name}` }
  try {
    const key = lockKey(folder)
    if (!isStamped(join(folder, 'node_modules'), key)) {
      const entry = await cachedInstall(name, folder, key)
      link(join(entry, 'node_modules'), join(folder, 'node_modules'), key)
    }
    return { ready: true }
  } catch (error) {
    return { ready: false, reason: `test/real packages "${name}" could not be installed: ${error.message}` }
  }
}

function lockKey(folder) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`)
  for (const file of manifests) hash.update(`\0${file}\0`).update(fs.readFileSync(join(folder, file)))
  return hash.digest('hex').slice(0, 24)
}

function isStamped(nodeModules, key) {
  try {
    return fs.readFileSync(join(nodeModules, stampName), 'utf8') === key
  } catch {
    return false
  }
}

function cacheRoot() {
  const wanted = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tributary-test')
  try {
    fs.mkdirSync(wanted, { recursive: true })
    fs.accessSync(wanted, fs.constants.W_OK)
    return wanted
  } catch {
    const fallback = join(tmpdir(), `tributary-test-${process.getuid?.() ?? 'cache'}`)
    fs.mkdirSync(fallback, { recursive: true })
    return fallback
  }
}

// The lock only avoids duplicate work: an install happens in its own folder and appears by one rename, so a lock that
// is
// wrongly taken over costs time, never a broken entry.
async function cachedInstall(name, folder, key) {
  const root = cacheRoot()
  const entry = join(root, key)
  const lock = `${entry}.lock`
  for (let waiting = false; !isStamped(join(entry, 'node_modules'), key); waiting = true) {
    const failure = recentFailure(`${entry}.failed`)
    if (failure !== undefined) throw new Error(failure)
    if (takeLock(lock)) {
      const beat = setInterval(() => fs.utimes(lock, new Date(), new Date(), () => {}), heartbeatMs)
      try {
        if (!isStamped(join(entry, 'node_modules'), key)) await install(name, folder, key, root)
      } finally {
        clearInterval(beat)
        fs.rmSync(lock, { recursive: true, force: true })
      }
    } else {
      if (!waiting) say(`waiting for another process that installs ${name}`)
      // A lock folder sends no event when it is removed.
      await sleep(300)
    }
  }
  fs.utimesSync(entry, new Date(), new Date())
  return entry
}

function takeLock(lock) {
  try {
    fs.mkdirSync(lock)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  try {
    if (ageMs(lock) > abandonedLockMs) fs.rmdirSync(lock)
  } catch {
    // Its owner finished, or another waiter took it over first.
  }
  return false
}

function recentFailure(note) {
  try {
    return ageMs(note) < rememberFailureMs ? fs.readFileSync(note, 'utf8') : undefined
  } catch {
    return undefined
  }
}

async function install(name, folder, key, root) {
  const startedAt = Date.now()
  const entry = join(root, key)
  const building = `${entry}.${randomUUID()}.tmp`
  say(`installing ${name} (once per lock file; kept in ${root})`)
  try {
    fs.mkdirSync(building)
    for (const file of manifests) fs.copyFileSync(join(folder, file), join(building, file))
    await runNpm(
      ['ci', '--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-factor=2', '--prefer-offline'],
      building,
      name,
    )
    fs.mkdirSync(join(building, 'node_modules'), { recursive: true })
    fs.writeFileSync(join(building, 'node_modules', stampName), key)
    fs.rmSync(entry, { recursive: true, force: true })
    fs.renameSync(building, entry)
    fs.rmSync(`${entry}.failed`, { force: true })
  } catch (error) {
    fs.rmSync(building, { recursive: true, force: true })
    if (isStamped(join(entry, 'node_modules'), key)) return
    fs.writeFileSync(`${entry}.failed`, error.message)
    throw error
  }
  say(`installed ${name} in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`)
  prune(root, key)
}

function runNpm(args, cwd, name) {
  // Inside `npm test` the outer npm sets its own name and folder in the environment; only the name may be passed on.
  const { npm_config_local_prefix: _prefix, npm_execpath: npmPath, ...env } = process.env
  const direct = npmPath?.endsWith('npm-cli.js') === true
  const [command, first] = direct ? [process.execPath, [npmPath]] : ['npm', []]
  return new Promise((resolve, reject) => {
    const startedAt = Date.now()
    const child = spawn(command, [...first, ...args], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: installTimeoutMs,
    })
    const progress = setInterval(
      () => say(`still installing ${name}: ${Math.round((Date.now() - startedAt) / 1000)} s`),
      15_000,
    )
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(npmComplaint(output, code)))))
    child.on('close', () => clearInterval(progress))
  })
}

function npmComplaint(output, code) {
  const errors = output.split('\n').filter((line) => line.startsWith('npm error '))
  const lines = errors.map((line) => line.slice('npm error '.length))
  const text = lines.filter((line) => /^\w/.test(line) && !/complete log|behind a proxy/.test(line)).join('; ')
  return text === '' ? `npm ended with ${code ?? 'a signal'}` : text.slice(0, 400)
}

function link(target, path, key) {
  const fresh = `${path}.${randomUUID()}`
  fs.symlinkSync(target, fresh, 'junction')
  try {
    // The rename replaces a symbolic link; a folder that npm created has to be removed first.
    if (fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) fs.rmSync(path, { recursive: true, force: true })
    fs.renameSync(fresh, path)
  } catch (error) {
    fs.rmSync(fresh, { force: true })
    if (!isStamped(path, key)) throw error
  }
}

function prune(root, key) {
  for (const file of fs.readdirSync(root)) {
    const limitMs = file.endsWith('.tmp') ? 2 * installTimeoutMs : unusedEntryMs
    const path = join(root, file)
    try {
      if (!file.startsWith(key) && ageMs(path) > limitMs) fs.rmSync(path, { recursive: true, force: true })
    } catch {
      // Another run removed it at the same moment.
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(folders)
  const outcomes = await Promise.all(names.map(ensureInstalled))
  for (const { ready, reason } of outcomes) if (!ready) say(reason)
  process.exitCode = outcomes.every(({ ready }) => ready) ? 0 : 1
}
