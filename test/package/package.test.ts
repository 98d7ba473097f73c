import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { childEnv } from '../harness/child-env.ts'
import { until } from '../harness/until.ts'
import { type InstalledPackage, installPackage } from './installed.ts'
import { nodesToTry } from './nodes.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

suite('the npm package', () => {
  let installed: InstalledPackage
  before(async () => {
    installed = await installPackage()
  })
  after(() => installed.remove())

  test('contains the bundle, the types of the kit, what the service reads, and metadata; no tests and no TypeScript to run', () => {
    const files = globSync('**', { cwd: installed.path, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => join(file.parentPath, file.name).slice(installed.path.length + 1))
    const wrong = files.filter((file) => (file.endsWith('.ts') && !file.endsWith('.d.ts')) || file.includes('.test.'))
    assert.deepEqual(wrong, [])
    const image = readFileSync(join(root, 'test/release-files.txt'), 'utf8').trimEnd().split('\n')
    assert.deepEqual(
      image.filter((file) => !files.includes(file)),
      [],
      'everything that the image contains',
    )
    const others = [
      'sbom.json',
      'README.md',
      'bin/tributary.mjs',
      'src/kit/public.d.ts',
      'lab/services/demo-social/README.md',
    ]
    const bundled = ['main', 'worker-main', 'demo-services', 'kit', 'try-it'].map((name) => `bundle/${name}.js`)
    for (const file of [...others, ...bundled]) assert.ok(files.includes(file), file)
    const manifest = JSON.parse(readFileSync(join(installed.path, 'package.json'), 'utf8')) as Record<string, unknown>
    assert.equal(manifest['private'], undefined)
    assert.equal(manifest['devDependencies'], undefined)
    assert.equal(manifest['scripts'], undefined, 'installing it runs nothing')
  })

  test('the command starts the demo in an empty folder and says where its data is', async () => {
    const empty = join(installed.folder, 'empty')
    mkdirSync(empty)
    const child = spawn('npx', ['--no-install', 'tributary'], {
      cwd: empty,
      env: { ...childEnv, PORT: '0', HOME: installed.folder, LOG_LEVEL: 'warn' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    const ended = once(child, 'close')
    try {
      const [, url] = await until('the demo says its address', () => {
        assert.equal(child.exitCode, null, output)
        return /is running\s+(http:\S+)/.exec(output) ?? undefined
      })
      assert.ok(output.includes(`Data folder            ${join(empty, 'data')}\n`), output)
      assert.match(output, / npx --no-install tributary demo control week-later/)
      assert.equal((await fetch(`${url}/readyz`)).status, 200)
      assert.ok(existsSync(join(empty, 'data/keyring.json')))
      const { stdout } = await run('npx', ['--no-install', 'tributary', 'app', 'list', '--json'], {
        cwd: empty,
        env: { ...childEnv, HOME: installed.folder },
      })
      assert.equal((JSON.parse(stdout) as unknown[]).length, 1, 'a command works beside it')
      const page = await fetch(`${url}/demo`)
      assert.ok(page.status < 400, `the demo's first page: ${page.status}`)
      assert.equal((await fetch(`${url}/dashboard`)).status, 200)
    } finally {
      process.kill(-child.pid!, 'SIGINT')
      await ended
    }
  })

  test('a new connector beside it type-checks against @tributary-hub/server/kit, passes its checks, and is loaded', async () => {
    const folder = join(installed.folder, 'connectors')
    const bin = join(installed.path, 'bin/tributary.mjs')
    const env = { ...childEnv, TRIBUTARY_CONNECTORS: folder, TRIBUTARY_DATA: join(installed.folder, 'unused') }
    await run(process.execPath, [bin, 'connector', 'new', 'pinboard'], { env })
    const file = join(folder, 'pinboard.ts')
    await run(process.execPath, ['--test', join(folder, 'pinboard.test.ts')], { env: childEnv, cwd: folder })
    const checked = await run(process.execPath, [bin, 'connector', 'check', file, '--json'], { env })
    assert.equal((JSON.parse(checked.stdout) as { passed: boolean }).passed, true)
    const { stdout } = await run(process.execPath, [bin, 'services', '--json'], { env })
    assert.ok(stdout.includes('"pinboard"'), stdout)

    const project = join(folder, 'strict.json')
    // `dom`: declarations of zod, to which those of the kit lead, name `URL`.
    const options = { target: 'esnext', lib: ['esnext', 'dom'], module: 'nodenext', types: [], skipLibCheck: false }
    writeFileSync(
      project,
      JSON.stringify({ compilerOptions: { ...options, strict: true, noEmit: true }, files: ['pinboard.ts'] }),
    )
    const check = () => run(join(root, 'node_modules/.bin/tsc'), ['--project', project])
    await check()
    writeFileSync(file, readFileSync(file, 'utf8').replace("types: ['statuses']", "types: ['nonsense']"))
    await assert.rejects(check, (error: { stdout: string }) => /nonsense/.test(error.stdout))
  })

  test('programs beside it import @tributary-hub/server/kit', async () => {
    const program = join(installed.folder, 'program.mjs')
    writeFileSync(
      program,
      `import * as kit from '@tributary-hub/server/kit'\nconsole.log(typeof kit.defineConnector)\n`,
    )
    assert.equal((await run(process.execPath, [program], { env: childEnv })).stdout, 'function\n')
  })

  for (const { name, find } of nodesToTry())
    test(`runs on ${name}`, async (t) => {
      const node = await find()
      if (typeof node !== 'string') return t.skip(node.missing)
      const bin = join(installed.path, 'bin/tributary.mjs')
      const env = { ...childEnv, TRIBUTARY_DATA: join(installed.folder, `data-${name.replaceAll(/\W+/g, '-')}`) }
      const { version } = JSON.parse(readFileSync(join(installed.path, 'package.json'), 'utf8')) as { version: string }
      assert.equal((await run(node, [bin, '--version'], { env })).stdout, `${version}\n`)
      const { stdout } = await run(node, [bin, 'app', 'list', '--json'], { env })
      assert.deepEqual(JSON.parse(stdout), [], 'with the embedded database')
      const refused = await run(node, [bin, 'nonsense'], { env }).then(
        () => 0,
        (error: { code: number }) => error.code,
      )
      assert.equal(refused, 2, 'the exit code is passed on')
    })
})
