import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { type Browser, createBrowser } from '../../lab/browser.ts'
import { tributary, tributaryProcess } from '../harness/command-line.ts'
import { preparedDatabase, type TestDatabase } from '../harness/database/database.ts'
import { freePort } from '../harness/free-port.ts'
import { type RunningProcess, startProcess } from '../harness/running.ts'
import { until } from '../harness/until.ts'

// One demo through its life: stopped, killed, moved to another port. Tokens, edits and the browser's session outlive each.
const BACK = 'http://localhost:1/back'
const dataDir = mkdtempSync(join(tmpdir(), 'tributary-demo-'))
const browser: Browser = createBrowser()
let database: TestDatabase
let env: Record<string, string>
let demo: RunningProcess
let token: string

before(async () => {
  database = await preparedDatabase()
  env = { DATABASE_URL: database.url, TRIBUTARY_DATA: dataDir, PORT: String(await freePort()) }
  demo = await startProcess(['demo'], env)
})
after(async () => {
  if (demo.child.exitCode === null && demo.child.signalCode === null) await demo.end('SIGKILL')
  await database.drop()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
})

const at = (path: string) => `${demo.document['url']}${path}`
const get = (path: string) => fetch(at(path), { headers: { authorization: `Bearer ${token}` } })
const json = async <Body>(path: string) => (await (await get(path)).json()) as Body
const count = async () => (await json<{ photos: number }>('/types')).photos
const newestPicture = async () => (await json<{ oembed: { url: string } }[]>('/types/photos?limit=1'))[0]!.oembed.url

/** Every service accepts the tokens of before, and pictures load. */
async function assertReads(): Promise<void> {
  const paths = ['/proxy/demo-social/me', '/proxy/demo-micro/me', '/proxy/demo-health/profile']
  for (const path of paths) assert.equal((await get(path)).status, 200, path)
  assert.equal((await fetch(await newestPicture())).status, 200)
}

/** The same, and the browser is remembered. */
async function assertGoesOn(): Promise<void> {
  await assertReads()
  const session = JSON.parse((await browser.open(at('/demo/session'))).body) as {
    access_token: string
    services: { connected: boolean }[]
  }
  assert.equal(session.access_token, token)
  assert.ok(session.services.every(({ connected }) => connected))
}

/** An app in test mode signs people in at every service. */
async function assertSignsIn(clientId: string): Promise<void> {
  for (const service of ['demo-social', 'demo-micro', 'demo-health']) {
    const query = new URLSearchParams({ client_id: clientId, redirect_uri: BACK, service })
    const person = createBrowser({ stopAt: (url) => url.startsWith(BACK) })
    const back = await person.walk(at(`/oauth/authenticate?${query.toString()}`), { person: 'ada' })
    assert.match(back.url, /[?&]code=/, `${service}: ${back.body}`)
  }
}

async function assertSyncs(): Promise<void> {
  const before = await count()
  const moved = await tributary(['demo', 'control', 'week-later', '--service', 'demo-social', '--json'], env)
  assert.equal(moved.code, 0, moved.stderr)
  await fetch(at('/profiles/demo-social/sync'), { method: 'POST', headers: { authorization: `Bearer ${token}` } })
  await until('the photos of the week', async () => ((await count()) > before ? true : undefined))
}

suite('the demo', () => {
  test('connects with one click', async () => {
    assert.equal(demo.document['demo_url'], at('/demo'))
    const page = await browser.open(at('/demo?plain=true'))
    await browser.submit(page, page.forms.find(({ action }) => action.endsWith('/demo/start'))!)
    const session = await browser.open(at('/demo/session'))
    token = (JSON.parse(session.body) as { access_token: string }).access_token
    await until('the first sync', async () =>
      (await json<{ state: string }>('/sync')).state === 'complete' ? true : undefined,
    )
    await assertGoesOn()
  })

  test('a second one on the same folder is refused, and the first goes on', async () => {
    const second = await tributaryProcess(['demo', '--port', String(await freePort())], env)
    assert.equal(second.code, 3)
    assert.ok(second.stderr.includes(`A demo already runs on this data folder: ${at('/demo')}.`), second.stderr)
    await assertGoesOn()
  })

  test('goes on after Ctrl-C', async () => {
    assert.deepEqual(await demo.end('SIGINT'), { code: 0, signal: null })
    const stopped = await tributary(['demo', 'control', 'show'], env)
    assert.match(stopped.stderr, /demo services do not run here/)
    demo = await startProcess(['demo'], env)
    await assertGoesOn()
    await assertSyncs()
  })

  test('goes on after it was killed while it synced and its services changed', async () => {
    const photos = await count()
    const headers = { authorization: `Bearer ${token}` }
    await fetch(at('/profiles/demo-social/reset'), { method: 'POST', headers })
    await tributary(['demo', 'control', 'throttle', '--service', 'demo-micro'], env)
    await demo.end('SIGKILL')
    demo = await startProcess(['demo'], env)
    const { stdout } = await tributary(['demo', 'control', 'show', '--json'], env)
    const states = JSON.parse(stdout) as { service: string; throttled: boolean }[]
    assert.deepEqual(
      states.filter(({ throttled }) => throttled).map(({ service }) => service),
      ['demo-micro'],
    )
    await tributary(['demo', 'control', 'unthrottle'], env)
    await assertGoesOn()
    assert.equal(await count(), photos)
    assert.deepEqual(
      readdirSync(join(dataDir, 'demo')).filter((name) => name.endsWith('.new')),
      [],
    )
  })

  test('on another port the browser goes on, and pictures are read again', async () => {
    const old = new URL(await newestPicture())
    await demo.end('SIGINT')
    env['PORT'] = String(await freePort())
    demo = await startProcess(['demo'], env)
    await until('pictures have the new address', async () =>
      (await newestPicture()) === at(old.pathname) ? true : undefined,
    )
    // The test's browser separates cookies by port, which real ones do not.
    await assertReads()
    const again = await browser.walk(at('/demo/connect?service=demo-social'), { person: 'ada' })
    assert.equal(again.url, at('/demo'), 'the services know the new address of the app')
  })

  test('commands without its environment print its address, and reach what it reaches', async () => {
    const { DATABASE_URL, TRIBUTARY_DATA } = env as { DATABASE_URL: string; TRIBUTARY_DATA: string }
    const bare = { DATABASE_URL, TRIBUTARY_DATA }
    const { client_id: id } = demo.document as { client_id: string }
    const set = await tributary(['keys', 'set', id, 'github', '--key', 'Iv1.x', '--secret', 's', '--json'], bare)
    assert.equal(set.code, 0, set.stderr)
    const { addresses } = JSON.parse(set.stdout) as { addresses: { callback: string } }
    assert.equal(addresses.callback, at('/auth/github/callback'))
    const listed = await tributary(['keys', 'list', id, '--json'], { ...bare, BASE_URL: 'https://other.example.com' })
    assert.match(listed.stdout, /https:\/\/other\.example\.com\/auth\/github\/callback/)

    const receiver = createServer((request, response) =>
      request.resume().on('end', () => response.writeHead(204).end()),
    )
    await once(receiver.listen(0, '127.0.0.1'), 'listening')
    const { port } = receiver.address() as AddressInfo
    try {
      const draft = ['push', 'test', id, '--kind', 'webhook', '--url', `http://127.0.0.1:${port}/`]
      const tried = await tributary(draft, bare)
      assert.equal(tried.code, 0, tried.stdout)
      const elsewhere = await tributary(draft, { ...bare, TRIBUTARY_ALLOW_PRIVATE: '10.9.9.9/32' })
      assert.match(elsewhere.stdout, /not on the public internet/, 'what the command says itself counts')
    } finally {
      receiver.close()
    }
    await tributary(['keys', 'delete', id, 'github'], bare)
  })

  test('gives keys at its services to any app, by the command; they are good after a move and an upgrade', async () => {
    const made = await tributaryProcess(['app', 'create', '--name', 'Notes', '--redirect-uri', BACK, '--json'], env)
    const { client_id: clientId } = JSON.parse(made.stdout) as { client_id: string }
    const used = await tributaryProcess(['keys', 'demo', clientId, '--json'], env)
    assert.equal(used.code, 0, used.stderr)
    const { services } = JSON.parse(used.stdout) as { services: { service: string; url: string }[] }
    assert.deepEqual(
      services.map(({ url }) => url),
      ['demo-social', 'demo-micro', 'demo-health'].map((service) => at(`/demo/services/${service}`)),
    )
    await assertSignsIn(clientId)
    await demo.end('SIGINT')
    // Older releases registered one redirect address for all apps.
    for (const { service } of services) {
      const file = join(dataDir, 'demo', `${service}.json`)
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(\/auth\/[\w-]+\/callback)\/\w+/g, '$1'))
    }
    env['PORT'] = String(await freePort())
    demo = await startProcess(['demo'], env)
    await assertSignsIn(clientId)
    await demo.end('SIGINT')
    const refused = await tributaryProcess(['keys', 'demo', clientId], env)
    assert.equal(refused.code, 4)
    assert.match(refused.stderr, /Start them with `?tributary demo/)
  })
})
