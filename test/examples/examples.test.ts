import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { type Browser, createBrowser, type Page } from '../../lab/browser.ts'
import { type Desk, prepareDesk, type Reader, startReader } from '../docs-blocks/reader.ts'
import { openSql } from '../harness/database/sql.ts'
import { programsMissing } from '../harness/programs.ts'
import { continued } from '../harness/sign-in.ts'
import { until } from '../harness/until.ts'
import { packagesMissing } from '../real/packages.ts'
import { walkToConsent } from '../spec/agents/fixture.ts'

const root = join(import.meta.dirname, '../..')
const [withoutExpress, withoutMcp] = [await packagesMissing('express'), await packagesMissing('mcp')]

/** A copy of an example, in the folder of a reader who has installed what it needs. */
async function copyExample(reader: Reader, name: string): Promise<Desk> {
  const desk = await prepareDesk(reader, `example-${name}`)
  cpSync(join(root, 'examples', name), desk.folder, { recursive: true })
  return desk
}

/** Starts a program of an example. */
function startProgram(desk: Desk, command: string, args: string[]) {
  const child = spawn(command, args, { cwd: desk.folder, env: desk.env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (text) => (output.stdout += String(text)))
  child.stderr.on('data', (text) => (output.stderr += String(text)))
  const ended = once(child, 'close') as Promise<[number | null]>
  /** Waits for something in the output; fails when the program ends before. */
  const prints = (pattern: RegExp) =>
    until(`it prints ${pattern}`, () => {
      const found = pattern.exec(output.stdout)?.[0]
      if (found === undefined && child.exitCode !== null) throw new Error(`it ended: ${output.stderr}`)
      return found
    })
  return { child, output, ended, prints }
}

async function stopProgram(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM')
  await ended
}

/** Logs in as Ada, and decides. */
async function signIn(browser: Browser, url: string, decision: 'allow' | 'deny' = 'allow'): Promise<Page> {
  return browser.walk(url, { person: 'ada', decision })
}

suite('the examples', { skip: programsMissing('bash', 'curl', 'jq', 'python3') }, () => {
  let reader: Reader
  before(async () => {
    reader = await startReader()
    if (withoutExpress === false)
      symlinkSync(join(root, 'test/real/express/node_modules/express'), join(reader.folder, 'node_modules/express'))
    if (withoutMcp === false)
      symlinkSync(
        join(root, 'test/real/mcp/node_modules/@modelcontextprotocol'),
        join(reader.folder, 'node_modules/@modelcontextprotocol'),
      )
  })
  after(() => reader.stop())

  test('express: a person signs in and sees photos; a refusal and a forged return are told', {
    skip: withoutExpress,
  }, async () => {
    const desk = await copyExample(reader, 'express')
    const { child, ended, prints } = startProgram(desk, 'node', ['server.js'])
    try {
      const home = await prints(/http:\S+/)
      const browser = createBrowser()
      assert.match((await browser.open(home)).body, /Connect Demo Social/)
      const denied = await signIn(browser, `${home}connect`, 'deny')
      assert.deepEqual([denied.status, /access_denied/.test(denied.body)], [400, true])
      const page = await signIn(browser, `${home}connect`)
      assert.match(page.body, /<h1>Ada Marlowe<\/h1>/)
      assert.ok((page.body.match(/<li>/g) ?? []).length > 3, page.body)
      const forged = await browser.open(`${home}back?code=trc_x&state=forged`)
      assert.deepEqual([forged.status, /did not begin/.test(forged.body)], [400, true])
      assert.match((await createBrowser().open(home)).body, /Connect/, 'another browser is not connected')
    } finally {
      await stopProgram(child, ended)
      await desk.remove()
    }
  })

  test('next-route: handlers of web requests sign a person in and return photos', async () => {
    const desk = await copyExample(reader, 'next-route')
    const origin = `http://localhost:${desk.port}`
    // The handlers read their settings when they are loaded, so they run in a process of their own.
    const host = `
      import { createServer } from 'node:http'
      const handlers = Object.fromEntries(await Promise.all(
        ['connect', 'back', 'photos'].map(async (name) => ['/' + name, (await import('./' + name + '.js')).GET])))
      createServer(async (request, response) => {
        const url = new URL(request.url, '${origin}')
        const handler = handlers[url.pathname]
        const answer = handler === undefined
          ? new Response(null, { status: 404 })
          : await handler(new Request(url, { headers: { cookie: request.headers.cookie ?? '' } }))
        for (const [name, value] of answer.headers) if (name !== 'set-cookie') response.setHeader(name, value)
        response.setHeader('set-cookie', answer.headers.getSetCookie())
        response.writeHead(answer.status).end(await answer.text())
      }).listen(${desk.port}, () => console.log('ready'))`
    desk.env['REDIRECT_URI'] = `${origin}/back`
    const { child, ended, prints } = startProgram(desk, 'node', ['--input-type=module', '--eval', host])
    try {
      await prints(/ready/)
      const browser = createBrowser()
      assert.equal((await browser.open(`${origin}/photos`)).status, 401)
      const denied = await signIn(browser, `${origin}/connect`, 'deny')
      assert.deepEqual([denied.status, JSON.parse(denied.body)], [400, { error: 'access_denied' }])
      const page = await signIn(browser, `${origin}/connect`)
      assert.equal(page.url, `${origin}/photos`)
      const photos = JSON.parse(page.body) as { id: string; url?: string }[]
      assert.equal(photos.length, 10)
      assert.ok(photos.every(({ id, url }) => id.length > 20 && url !== undefined))
      assert.equal((await createBrowser().open(`${origin}/back?code=trc_x&state=s`)).status, 400)
    } finally {
      await stopProgram(child, ended)
      await desk.remove()
    }
  })

  test('plain-javascript: every part of the interface, with three services of one person', async () => {
    const desk = await copyExample(reader, 'plain-javascript')
    const { child, output, ended, prints } = startProgram(desk, 'node', ['tour.js'])
    try {
      const browser = createBrowser()
      for (const service of ['demo-social', 'demo-micro', 'demo-health']) {
        const url = await prints(new RegExp(`http:\\S+service=${service}\\S+`))
        const page = await continued(browser, await browser.walk(url, { person: 'ben' }))
        assert.equal(page.body, 'You can close this page.')
      }
      const [code] = await ended
      assert.equal(code, 0, output.stderr)
      const said = new Map(output.stdout.split('\n').map((line) => [line.split(' ')[0], line] as const))
      assert.equal(said.get('linked'), 'linked demo-micro demo-social')
      assert.ok(Number(said.get('photos')!.split(' ')[1]) > 20, 'more than two pages')
      assert.match(said.get('near')!, /^near -?[\d.]+,-?[\d.]+ with \d+ [1-9]/)
      assert.match(said.get('fetched')!, /@demo-social\/photos#\d+$/)
      assert.match(said.get('read')!, /^read back Written by the proxy [0-9a-f]{8}$/)
      assert.equal(said.get('merged'), 'merged demo-health demo-micro demo-social')
      assert.equal(said.get('revoked'), 'revoked 401 the other 200')
    } finally {
      child.kill('SIGKILL')
      await desk.remove()
    }
  })

  test('python: a person signs in, and all photos are printed', async () => {
    const desk = await copyExample(reader, 'python')
    const { child, output, ended, prints } = startProgram(desk, 'python3', ['photos.py'])
    try {
      const url = await prints(/http:\S+/)
      assert.equal((await signIn(createBrowser(), url)).body, 'You can close this page.')
      const [code] = await ended
      assert.equal(code, 0, output.stderr)
      const [, count] = /(\d+) photos/.exec(output.stdout) ?? []
      assert.ok(Number(count) > 20, 'more than a page')
      assert.match(output.stderr, /event: done/)
    } finally {
      child.kill('SIGKILL')
      await desk.remove()
    }
  })

  test('python: a refusal and a foreign state end it with a sentence', async () => {
    const desk = await prepareDesk(reader, 'example-python-refused')
    cpSync(join(root, 'examples/python'), desk.folder, { recursive: true })
    try {
      for (const [query, message] of [
        ['error=access_denied&state=STATE', /Not connected: access_denied/],
        ['code=trc_x&state=forged', /did not begin here/],
        ['code=trc_wrong&state=STATE', /code_invalid/],
      ] as const) {
        const { output, ended, prints } = startProgram(desk, 'python3', ['photos.py'])
        const address = await prints(/http:\S+/)
        const state = new URL(address).searchParams.get('state')!
        await until('it listens', () =>
          fetch(`http://localhost:${desk.port}/back?${query.replace('STATE', state)}`).then(
            () => true,
            () => false,
          ),
        )
        const [code] = await ended
        assert.equal(code, 1)
        assert.match(output.stderr, message)
      }
    } finally {
      await desk.remove()
    }
  })

  test('curl: the script prints a person and their items, and fails with a wrong token', async () => {
    const desk = await copyExample(reader, 'curl')
    const run = (env: Record<string, string>) =>
      new Promise<{ code: number; stdout: string }>((resolve) => {
        execFile('sh', ['items.sh', 'photos', '5'], { cwd: desk.folder, env }, (error, stdout) =>
          resolve({ code: error === null ? 0 : 1, stdout }),
        )
      })
    const { code, stdout } = await run(desk.env)
    const [person, ...items] = stdout.trim().split('\n')
    assert.deepEqual([code, person, items.length], [0, 'Ada Marlowe: demo-social', 5])
    assert.match(items[0]!, /^\d{4}-\d\d-\d\dT[\d:]+Z\tphoto\t./)
    const refused = await run({ ...desk.env, TOKEN: 'trt_wrong' })
    assert.equal(refused.stdout.includes('Ada'), false)
    await desk.remove()
  })

  test('agent-mcp: after the consent of a person the agent lists tools and finds items; without, it ends', {
    skip: withoutMcp,
  }, async () => {
    const desk = await copyExample(reader, 'agent-mcp')
    const agents = { redirect_uris: ['http://127.0.0.1/callback'], write_services: [] }
    const { status } = await reader.harness.tributary.admin('PATCH', `/admin/apps/${desk.env['CLIENT_ID']}`, { agents })
    assert.equal(status, 200)
    try {
      for (const answer of ['yes', 'no']) {
        const { child, output, ended, prints } = startProgram(desk, 'node', ['agent.js', 'the'])
        try {
          const address = await prints(/http:\S+/)
          const browser = createBrowser()
          const { page } = await walkToConsent(address, {}, browser)
          const form = page.forms.find(({ action }) => action === '/oauth/agents/consent')!
          assert.equal((await browser.submit(page, form, { answer })).body, 'You can close this page.')
          const [code] = await ended
          if (answer === 'yes') {
            assert.equal(code, 0, output.stderr)
            assert.match(output.stdout, /Tools: search_items, list_items/)
            assert.doesNotMatch(output.stdout, /proxy_write/)
            assert.ok(Number(/(\d+) items/.exec(output.stdout)?.[1]) > 0, output.stdout)
          } else {
            assert.equal(code, 1)
            assert.match(output.stderr, /No consent: access_denied/)
          }
        } finally {
          child.kill('SIGKILL')
        }
      }
    } finally {
      await desk.remove()
    }
  })

  test('postgres-worker: photos are processed once, also by a second worker after the first was killed', async () => {
    const desk = await copyExample(reader, 'postgres-worker')
    const { sql, close } = openSql(desk.env['DATABASE_URL']!)
    const first = startProgram(desk, 'node', ['worker.js'])
    const total = Number(
      (
        (await (
          await fetch(`${reader.harness.tributary.url}/types?access_token=${desk.env['TOKEN']}`)
        ).json()) as Record<string, number>
      )['photos'],
    )
    const processed = async () => Number((await sql<{ n: string }>('select count(*) n from processed'))[0]!.n)
    try {
      await until('all photos are processed', () =>
        processed()
          .then((n) => n === total)
          .catch(() => false),
      )
      first.child.kill('SIGKILL')
      await first.ended
      await sql(`update processed set seq = -1 where item_id = (select min(item_id) from processed)`)
      await sql(`update tributary_items set deleted_at = now() where id = (select max(item_id) from processed)`)
      const second = startProgram(desk, 'node', ['worker.js'])
      await until('the second worker continues', () =>
        sql<{ all: string; old: string }>(
          'select count(*) as all, count(*) filter (where seq < 0) as old from processed',
        ).then(([row]) => Number(row!.all) === total - 1 && Number(row!.old) === 0),
      )
      await stopProgram(second.child, second.ended)
      assert.equal(second.output.stdout, '2 processed\n', second.output.stderr)
      const list = await fetch(`${reader.harness.tributary.url}/push`, {
        headers: { authorization: `Basic ${btoa(`${desk.env['CLIENT_ID']}:${desk.env['CLIENT_SECRET']}`)}` },
      })
      assert.equal(((await list.json()) as unknown[]).length, 1, 'one destination after two starts')
    } finally {
      first.child.kill('SIGKILL')
      await close()
      await desk.remove()
    }
  })
})
