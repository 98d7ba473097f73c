import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, readlink, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const real = dirname(dirname(fileURLToPath(import.meta.url)))

suite('install', () => {
  let folder: string
  let registry: Server
  let registryUrl: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-install-'))
    await cp(join(real, 'install.mjs'), join(folder, 'install.mjs'))
    await cp(join(real, '.npmrc'), join(folder, '.npmrc'))
    await writeManifests({})
    registry = createServer((_request, response) => response.writeHead(404).end('{}'))
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve))
    registryUrl = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`
  })
  afterEach(async () => {
    registry.closeAllConnections()
    registry.close()
    await rm(folder, { recursive: true, force: true })
  })

  async function writeManifests(dependencies: Record<string, string>): Promise<void> {
    const manifest = { name: 'probe', private: true, dependencies }
    const needed = Object.entries(dependencies).map(([name, version]) => [`node_modules/${name}`, { version }])
    const packages = { '': manifest, ...Object.fromEntries(needed) }
    const lock = { name: 'probe', lockfileVersion: 3, requires: true, packages }
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
    await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock))
  }

  async function run(): Promise<{ code: number; said: string }> {
    const env = {
      ...process.env,
      XDG_CACHE_HOME: join(folder, 'cache'),
      npm_config_cache: join(folder, 'npm'),
      npm_config_registry: registryUrl,
    }
    const child = spawn(process.execPath, [join(folder, 'install.mjs'), 'core'], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    const [code] = (await once(child, 'close')) as [number]
    return { code, said }
  }

  const entries = () => readdir(join(folder, 'cache', 'tributary-test'))

  test('processes that start together install once and all succeed', async () => {
    const outcomes = await Promise.all([run(), run(), run()])
    assert.deepEqual(
      outcomes.map(({ code }) => code),
      [0, 0, 0],
      outcomes.map(({ said }) => said).join('\n'),
    )
    assert.equal(outcomes.filter(({ said }) => said.includes('installed core')).length, 1)
    assert.equal((await entries()).length, 1)
  })

  test('a second run prints nothing, and a changed lock file installs again', async () => {
    await run()
    const first = await readlink(join(folder, 'node_modules'))
    assert.deepEqual(await run(), { code: 0, said: '' })
    await writeFile(join(folder, 'package-lock.json'), `${await readFile(join(folder, 'package-lock.json'), 'utf8')}\n`)
    assert.match((await run()).said, /installed core/)
    assert.notEqual(await readlink(join(folder, 'node_modules')), first)
  })

  test('a lock left by a dead process is taken over', async () => {
    await run()
    const [entry = ''] = await entries()
    const cache = join(folder, 'cache', 'tributary-test')
    await rm(join(cache, entry), { recursive: true })
    await mkdir(join(cache, `${entry}.lock`))
    const longAgo = new Date(Date.now() - 60_000)
    await utimes(join(cache, `${entry}.lock`), longAgo, longAgo)
    assert.equal((await run()).code, 0)
    assert.deepEqual(await entries(), [entry])
  })

  test('a registry without the packages is reported, and nothing is left half done', async () => {
    await writeManifests({ 'is-number': '7.0.0' })
    const { code, said } = await run()
    assert.equal(code, 1)
    assert.match(said, /packages "core" could not be installed: .*404/s)
    const remaining = await entries()
    assert.deepEqual(
      remaining.map((name) => name.split('.')[1]),
      ['failed'],
    )
  })
})
