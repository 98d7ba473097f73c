import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { before, suite, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { buildWeb } from '../../scripts/build-web.mjs'
import { buildBundle } from '../../scripts/bundle/build.mjs'
import { childEnv } from '../harness/child-env.ts'
import { freshDatabase } from '../harness/database/database.ts'
import { freePort } from '../harness/free-port.ts'
import { startProcess } from '../harness/running.ts'

const root = join(import.meta.dirname, '../..')
/** Answers that are made from the code, from documents and from built pages. */
const ADDRESSES = [
  '/openapi.json',
  '/docs',
  '/docs.md',
  '/docs/try-it.js',
  '/docs/push.md',
  '/llms.txt',
  '/dashboard',
  '/services',
]
suite('the bundle of the service', () => {
  let folder: string
  const text = (file: string) => readFileSync(join(folder, file), 'utf8')
  /** The modules in a file; the bundler's own file has no map. */
  const sourcesOf = (file: string) => {
    if (!existsSync(join(folder, `${file}.map`))) return []
    const { sources } = JSON.parse(text(`${file}.map`)) as { sources: string[] }
    return sources.map((path) => relative(root, resolve(folder, path)))
  }
  const packagesIn = (files: string[]) => [
    ...new Set(
      files
        .flatMap(sourcesOf)
        .map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1])
        .filter((name) => name !== undefined),
    ),
  ]
  const parts = () => globSync('*.js.map', { cwd: folder }).map((file) => file.slice(0, -'.map'.length))
  /** What a file loads before it runs. */
  const loadedBy = (...files: string[]) => {
    const seen = new Set<string>()
    for (let file = files.pop(); file !== undefined; file = files.pop()) {
      if (seen.has(file)) continue
      seen.add(file)
      files.push(...[...text(file).matchAll(/^(?:import|export)\b[^"]*"\.\/([^"]+)"/gm)].map(([, name]) => name!))
    }
    return [...seen]
  }
  const chunkWith = (module: string) => parts().find((file) => sourcesOf(file).includes(module))!

  before(async () => {
    folder = await buildBundle()
    buildWeb()
  })

  test('describes itself as the sources do, and serves the same documents and pages', async (t) => {
    // The same one for both: the address is part of what they say.
    const port = await freePort()
    const responses = async (entry: string) => {
      const database = await freshDatabase()
      const data = mkdtempSync(join(tmpdir(), 'tributary-equal-'))
      const env = { DATABASE_URL: database.url, TRIBUTARY_DATA: data, PORT: String(port) }
      const server = await startProcess(['serve'], env, entry)
      t.after(() => rmSync(data, { recursive: true, force: true }))
      try {
        const { url } = server.document
        const found = new Map<string, string>()
        // One after another: making the first of them takes so long on a busy machine that the others would time out.
        for (const each of ADDRESSES) {
          const response = await fetch(`${url}${each}`)
          assert.equal(response.status, 200, each)
          found.set(each, await response.text())
        }
        return found
      } finally {
        await server.end('SIGTERM')
        await database.drop()
      }
    }
    assert.deepEqual(await responses(join(folder, 'main.js')), await responses(join(root, 'src/main.ts')))
  })

  test('writes, checks and loads a connector of an operator, which has the kit of the bundle', async (t) => {
    const connectors = mkdtempSync(join(tmpdir(), 'tributary-bundle-connectors-'))
    t.after(() => rmSync(connectors, { recursive: true }))
    const env = { ...childEnv, TRIBUTARY_CONNECTORS: connectors, TRIBUTARY_DATA: join(connectors, 'unused') }
    const command = (...args: string[]) =>
      promisify(execFile)(process.execPath, [join(folder, 'main.js'), ...args, '--json'], { env })
    await command('connector', 'new', 'pinboard')
    assert.equal(realpathSync(join(connectors, 'node_modules/@tributary-hub/server')), root)
    const checked = await command('connector', 'check', join(connectors, 'pinboard.ts'))
    assert.equal((JSON.parse(checked.stdout) as { passed: boolean }).passed, true, checked.stdout)
    const file = join(connectors, 'pinboard.ts')
    writeFileSync(
      file,
      `${readFileSync(file, 'utf8')}\nprocess.stderr.write(import.meta.resolve('@tributary-hub/server/kit'))\n`,
    )
    const { stdout, stderr } = await command('services')
    assert.ok(stdout.includes('"pinboard"'), stdout)
    assert.equal(stderr, pathToFileURL(join(folder, 'kit.js')).href)
  })

  test('loads no package that a process rarely needs, and into the worker that syncs none of the HTTP server', () => {
    const rare = ['mysql2', '@nats-io/jetstream', '@nats-io/transport-node', 'hyparquet-writer', 'jose']
    assert.deepEqual(
      packagesIn(parts()).filter((name) => rare.includes(name)),
      [],
    )
    const worker = packagesIn(loadedBy('worker-main.js', chunkWith('src/boot/sync-lane.ts')))
    assert.ok(worker.includes('pg'))
    assert.deepEqual(
      worker.filter((name) => ['find-my-way', 'prom-client', 'zod'].includes(name)),
      [],
    )
  })

  test('keeps the names of functions, and says the lines of the sources to those who ask for them', async () => {
    assert.match(text(chunkWith('src/store/migrate.ts')), /^async function migrate\(/m)
    const program = `
      import { defineConnector } from ${JSON.stringify(join(folder, 'kit.js'))}
      try {
        defineConnector(undefined)
      } catch (error) {
        process.stdout.write(error.stack)
      }`
    const args = ['--enable-source-maps', '--input-type=module', '-e', program]
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: childEnv })
    assert.match(stdout, /at defineConnector \(.*\/src\/kit\/connector\/connector\.ts:\d+:\d+\)/)
  })

  test('has the entries of the catalogue, a folder that a module names', () => {
    const entries = (from: string) =>
      readdirSync(from)
        .sort()
        .map((name) => [name, readFileSync(join(from, name), 'utf8')])
    assert.deepEqual(entries(join(folder, 'entries')), entries(join(root, 'src/catalogue/entries')))
  })

  test('has the licence of every package in it', () => {
    const notices = text('NOTICES.txt')
    const packages = packagesIn(parts())
    assert.ok(packages.length > 10)
    for (const name of packages) {
      const { version } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as {
        version: string
      }
      assert.ok(notices.includes(`\n${name} ${version} (`), name)
    }
  })
})
