import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { type LabHarness, startLabHarness } from '../harness/lab.ts'
import { REDIRECT, walk } from '../harness/sign-in.ts'
import { until } from '../harness/until.ts'
import { startReceiver } from '../spec/push/receiver.ts'

const root = join(import.meta.dirname, '../..')
const blocks = [
  ...readFileSync(join(root, 'sdk/README.md'), 'utf8').matchAll(/```ts\n(\/\/ ([\w-]+\.ts)\n[\s\S]*?)```/g),
]
/** Run by test/browser/popup.test.ts, or in a page. */
const FOR_PAGES = ['popup.ts', 'back.ts']

type Session = { state: string; verifier: string; redirect_uri: string; url: string }

suite("the examples of the SDK's README", () => {
  let harness: LabHarness
  let folder: string
  const exports = async <Shape>(name: string) => (await import(join(folder, name))) as Shape
  before(async () => {
    harness = await startLabHarness()
    // Inside the clone's packages nothing is stripped of types, so the files are elsewhere.
    folder = mkdtempSync(join(tmpdir(), 'tributary-readme-'))
    mkdirSync(join(folder, 'sdk'))
    symlinkSync(join(root, 'sdk/src'), join(folder, 'sdk/src'))
    const imports = { '#client': './sdk/src/index.ts' }
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', imports }))
    for (const [, text = '', name = ''] of blocks)
      writeFileSync(join(folder, name), text.replaceAll("'@tributary-hub/client'", "'#client'"))
    process.env['TRIBUTARY_URL'] = harness.tributary.url
    process.env['CLIENT_ID'] = harness.app.clientId
    process.env['CLIENT_SECRET'] = harness.app.secret
  })
  after(async () => {
    for (const name of ['TRIBUTARY_URL', 'CLIENT_ID', 'CLIENT_SECRET']) delete process.env[name]
    rmSync(folder, { recursive: true })
    await harness.stop()
  })

  test('every example is run here or in a page', () => {
    const names = blocks.map(([, , name]) => name)
    assert.deepEqual(names, ['client.ts', 'connect.ts', 'photos.ts', 'changes.ts', 'proxy.ts', 'hook.ts', ...FOR_PAGES])
    const all = readFileSync(join(root, 'sdk/README.md'), 'utf8').match(/```ts\n/g)
    assert.equal(all?.length, names.length, 'each block names its file')
  })

  test('connect.ts, photos.ts, changes.ts, proxy.ts and hook.ts work one after the other', async () => {
    const { start, finish } = await exports<{
      start: () => Promise<Session>
      finish: (address: string, session: Session) => Promise<{ access_token?: string; error?: string }>
    }>('connect.ts')
    const denied = await start()
    const away = await walk(denied.url, { person: 'ada', decision: 'deny' })
    assert.deepEqual(await finish(away.href, denied), { error: 'access_denied' })
    const session = await start()
    assert.equal(session.redirect_uri, REDIRECT)
    const { access_token: token } = await finish((await walk(session.url, { person: 'ada' })).href, session)

    const { photos } = await exports<{ photos: (token: string) => Promise<Record<string, unknown>> }>('photos.ts')
    const read = await photos(token!)
    assert.ok(Array.isArray(read['titles']) && read['titles'].length === read['streamed'] && read['newest'] === 3)
    assert.ok(Number(read['found']) >= 0)

    const { changes } = await exports<{
      changes: (token: string, cursor: string | undefined, apply: (change: string) => void) => Promise<string>
    }>('changes.ts')
    const [first, second]: string[][] = [[], []]
    const cursor = await changes(token!, undefined, (change) => first!.push(change))
    assert.ok(first!.length > 3 && first!.every((change) => change === 'upsert'))
    await changes(token!, cursor, (change) => second!.push(change))
    assert.deepEqual(second, [])

    const { me } = await exports<{ me: (token: string) => Promise<unknown> }>('proxy.ts')
    const { status, body } = (await me(token!)) as { status: number; body: { name: string } }
    assert.deepEqual([status, body.name], [200, 'Ada Marlowe'])

    const { add, receive } = await exports<{
      add: (url: string) => Promise<{ secret: string }>
      receive: (body: string, headers: Record<string, string>, secrets: string[]) => Promise<string[] | string>
    }>('hook.ts')
    const receiver = await startReceiver()
    try {
      const { secret } = await add(receiver.url)
      const message = await until('a message arrives', () =>
        receiver.messages.find(({ type }) => type === 'items.changed'),
      )
      const headers = message.headers as Record<string, string>
      const changed = await receive(message.body, headers, [secret])
      assert.ok(Array.isArray(changed) && changed.every((each) => each.startsWith('put ')))
      assert.equal(await receive(message.body, headers, [`whsec_${btoa('another')}`]), 'signature_wrong')
      const at = new Date(Date.now() - 3_600_000)
      const old: Record<string, string> = { ...headers, 'webhook-timestamp': String(Math.floor(at.getTime() / 1000)) }
      old['webhook-signature'] = new Webhook(secret).sign(message.id, at, message.body)
      assert.equal(await receive(message.body, old, [secret]), 'too_old')
    } finally {
      await receiver.close()
    }
  })
})
