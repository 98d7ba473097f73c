import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { buildWeb } from '../../scripts/build-web.mjs'
import { writeBundle } from '../../scripts/bundle/build.mjs'
import { releaseFiles } from '../../scripts/release/files.ts'
import { freshDatabase, type TestDatabase } from '../harness/database/database.ts'
import { freePort } from '../harness/free-port.ts'
import { until } from '../harness/until.ts'
import { type CuttableProxy, openDatabaseProxy } from '../spec/push/kinds/cuttable-proxy.ts'
import { type ClientUser, createClientUser } from './client-user.ts'

const root = join(import.meta.dirname, '../..')
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
const compose = readFileSync(join(root, 'compose.yaml'), 'utf8')

/** The user of the image. Only root can become another user; anybody else runs it as themselves. */
const IMAGE_USER = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {}

/** The variables of `ENV` in the Dockerfile. */
const imageEnv = Object.fromEntries(
  [.../^ENV ((?:.*\\\n)*.*)$/m.exec(dockerfile)![1]!.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [
    name!,
    value!,
  ]),
)
/** The variables of the service in compose.yaml, when the operator sets nothing. */
const composeEnv = Object.fromEntries(
  [.../\n {4}environment:\n((?: {6}.*\n)+)/.exec(compose)![1]!.matchAll(/^ {6}(\w+): *(.*)$/gm)].map(
    ([, name, value]) => [
      name!,
      value!.replace(/\$\{\w+(?::-([^}]*))?\}/g, (_, fallback: string | undefined) => fallback ?? ''),
    ],
  ),
)
const instruction = (name: string) =>
  JSON.parse(new RegExp(`^${name} (\\[.*\\])$`, 'm').exec(dockerfile)![1]!) as string[]

const integrityOf = (file: Buffer) => `sha512-${createHash('sha512').update(file).digest('base64')}`

suite('the image', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tributary-image-')))
  const [app, data, secrets] = ['app', 'data', 'secrets'].map((name) => join(folder, name)) as [string, string, string]
  let database: TestDatabase
  let proxy: CuttableProxy
  let port: number
  let child: ChildProcess
  let output = ''

  before(async () => {
    database = await freshDatabase()
    // Over TCP: the socket of the embedded server belongs to the user of the tests.
    const address = await openDatabaseProxy(database.url)
    proxy = address
    port = await freePort()
    for (const each of [app, data, secrets]) mkdirSync(each)
    for (const file of releaseFiles()) {
      mkdirSync(dirname(join(app, file)), { recursive: true })
      cpSync(join(root, file), join(app, file))
    }
    // As the first stage does.
    buildWeb()
    cpSync(join(root, 'web/dist'), join(app, 'web/dist'), { recursive: true })
    await writeBundle(join(app, 'bundle'), '..')
    linkRunTimePackages()
    writeFileSync(join(secrets, 'database_url'), `${address.url}\n`)
    writeFileSync(join(secrets, 'key'), `${randomBytes(32).toString('base64')}\n`)
    writeFileSync(join(secrets, 'admin_token'), `${randomBytes(32).toString('hex')}\n`)
    for (const each of [folder, secrets]) chmodSync(each, 0o755)
    execFileSync('chmod', ['-R', 'a-w,a+rX', app])
    // As `install -d -o node -m 700 /data` does.
    if (process.getuid?.() === 0) execFileSync('chown', ['1000:1000', data])
    chmodSync(data, 0o700)
  })
  after(async () => {
    child.kill('SIGKILL')
    await proxy.close()
    await database.drop()
    execFileSync('chmod', ['-R', 'u+w', app])
    rmSync(folder, { recursive: true, force: true })
  })

  /** What `npm ci --omit=dev --omit=optional` installs. */
  function linkRunTimePackages(): void {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dev?: boolean; optional?: boolean }>
    }
    for (const [path, { dev, optional }] of Object.entries(packages)) {
      if (path === '' || dev === true || optional === true || path.split('node_modules/').length > 2) continue
      const [source] = globSync(join(root, path))
      assert.ok(source !== undefined, path)
      mkdirSync(dirname(join(app, path)), { recursive: true })
      symlinkSync(realpathSync(source), join(app, path))
    }
  }

  const env = () => ({
    PATH: process.env['PATH'] ?? '',
    ...imageEnv,
    ...Object.fromEntries(
      Object.entries(composeEnv).map(([name, value]) => [name, value.replace('/run/secrets', secrets)]),
    ),
    // A scratch folder instead of the volume, a free port, and this machine instead of every address.
    TRIBUTARY_DATA: data,
    PORT: String(port),
    HOST: '127.0.0.1',
  })

  async function start(): Promise<void> {
    const [, program] = instruction('ENTRYPOINT')
    output = ''
    child = spawn(process.execPath, [program!, ...instruction('CMD')], {
      cwd: app,
      env: env(),
      stdio: ['ignore', 'pipe', 'pipe'],
      ...IMAGE_USER,
    })
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    await until('it is ready', () => {
      assert.equal(child.exitCode, null, output)
      return fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      )
    })
  }

  /** Runs the command of HEALTHCHECK; returns its exit code. */
  async function healthy(): Promise<number> {
    const [, command] = /^HEALTHCHECK .*\\\n {2}CMD (\[.*\])$/m.exec(dockerfile)!
    const [, ...args] = JSON.parse(command!) as string[]
    const probe = spawn(process.execPath, args, { env: env(), stdio: 'ignore', ...IMAGE_USER })
    const [code] = (await once(probe, 'exit')) as [number]
    return code
  }

  test('starts from its own files on a read-only tree, as another user, and is healthy', async () => {
    await start()
    assert.equal(await healthy(), 0)
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
    if (IMAGE_USER.uid !== undefined) assert.match(status, /^Uid:\t1000\t1000\t1000\t1000$/m)
    assert.deepEqual(globSync('*', { cwd: data }), [], 'with key and token given, nothing is written')
    assert.doesNotMatch(output, /"level":"(?:error|warn)"/)
  })

  test('ends cleanly with the stop signal, then is not healthy, and starts again with the same data', async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
    assert.equal(await healthy(), 1)
    await start()
    const token = readFileSync(join(secrets, 'admin_token'), 'utf8').trim()
    const apps = await fetch(`http://127.0.0.1:${port}/admin/apps`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(apps.status, 200)
  })

  test('has the dashboard and the guides', async () => {
    const url = `http://127.0.0.1:${port}`
    const page = await (await fetch(`${url}/dashboard`)).text()
    const [, script] = /src="(\/web\/assets\/[^"]+\.js)"/.exec(page)!
    assert.equal((await fetch(`${url}${script}`)).status, 200)
    assert.equal((await fetch(`${url}/docs/push.md`)).status, 200)
  })

  test('serves its client to several installers at once; after an upgrade, that of the new version', async () => {
    const address = `http://127.0.0.1:${port}/client.tgz`
    const built = join(app, 'web/dist/client.tgz')
    const old = readFileSync(built)
    const users = [createClientUser(), createClientUser(), createClientUser()]
    const [user] = users as [ClientUser, ...ClientUser[]]
    try {
      for (const { code, said } of await Promise.all(users.map(({ npm }) => npm('install', address))))
        assert.equal(code, 0, said)
      const integrity = integrityOf(old)
      assert.deepEqual(
        users.map(({ lock }) => lock().integrity),
        users.map(() => integrity),
      )
      assert.equal(await user.evaluate('typeof client.createClient'), 'function')

      const first = await fetch(address)
      const headers = { 'if-none-match': first.headers.get('etag')! }
      assert.match(first.headers.get('content-disposition')!, /filename="tributary-hub-client-\d+\.\d+\.\d+\.tgz"/)
      assert.equal(first.headers.get('cache-control'), 'public, no-cache')
      assert.equal((await fetch(address, { headers })).status, 304)
      assert.match(await (await fetch(`http://127.0.0.1:${port}/client`)).text(), new RegExp(RegExp.escape(integrity)))

      // An upgrade brings another file.
      const next = execFileSync('tar', ['-xzOf', built, 'package/dist/esm/index.js'], { encoding: 'utf8' })
      const staged = join(folder, 'upgraded/package')
      mkdirSync(dirname(staged))
      execFileSync('tar', ['-xzf', built, '-C', dirname(staged)])
      writeFileSync(join(staged, 'dist/esm/index.js'), `${next}\nexport const upgraded = 'yes'\n`)
      const upgraded = join(folder, 'upgraded.tgz')
      execFileSync('tar', ['-czf', upgraded, '-C', dirname(staged), 'package'])
      replace(built, readFileSync(upgraded))

      assert.equal((await fetch(address, { headers })).status, 200)
      const refused = await users[1]!.npm('ci', '--cache', join(folder, 'empty-cache'))
      assert.notEqual(refused.code, 0)
      assert.match(refused.said, /EINTEGRITY/, 'a lock file refuses another file than it was written for')
      const again = await user.npm('install', address)
      assert.equal(again.code, 0, again.said)
      assert.equal(await user.evaluate('client.upgraded'), 'yes')
      assert.equal(user.lock().integrity, integrityOf(readFileSync(upgraded)))

      replace(built, undefined)
      const missing = await fetch(address)
      assert.deepEqual([missing.status, missing.headers.get('retry-after')], [503, '5'])
    } finally {
      replace(built, old)
      for (const each of users) each.remove()
    }
  })

  /** Changes a file of the tree, which is read-only. */
  function replace(file: string, content: Buffer | undefined): void {
    chmodSync(dirname(file), 0o755)
    rmSync(file, { force: true })
    if (content !== undefined) writeFileSync(file, content)
    chmodSync(dirname(file), 0o555)
  }

  test('is run by an ordinary user, and compose leaves it no rights', () => {
    assert.match(dockerfile, /^USER node$/m)
    assert.doesNotMatch(dockerfile, /^STOPSIGNAL (?!SIGTERM)/m)
    for (const line of [
      'read_only: true',
      'cap_drop: [ALL]',
      'security_opt: ["no-new-privileges:true"]',
      'stop_grace_period: 60s',
    ])
      assert.ok(compose.includes(line), line)
    assert.ok(lstatSync(join(app, 'bundle/main.js')).isFile())
  })
})
