import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, ListenOptions } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { request } from 'undici'
import { egressErrorIn } from './errors.ts'
import { createEgressLevels } from './levels.ts'
import type { Trust } from './trust.ts'

const LEVELS: Trust[] = ['operator', 'app', 'person', 'stranger']

async function listen(t: TestContext, where: ListenOptions): Promise<Server> {
  const answer: RequestListener = (_, response) => response.end('ok')
  const server = createServer(answer).listen(where)
  await once(server, 'listening')
  t.after(() => server.close())
  return server
}

/** What each level gets: the status, or why it was refused. */
async function calls(t: TestContext, url: string, options: Partial<Parameters<typeof createEgressLevels>[0]>) {
  const levels = createEgressLevels({ allowPrivate: [], allowPrivateTyped: [], ...options })
  t.after(() => levels.close())
  const results: [Trust, unknown][] = []
  for (const trust of LEVELS)
    results.push([
      trust,
      await request(url, { dispatcher: levels.at(trust).dispatcher }).then(
        async ({ statusCode, body }) => {
          await body.dump()
          return statusCode
        },
        (error: unknown) => egressErrorIn(error)?.reason,
      ),
    ])
  return Object.fromEntries(results)
}

test('N02 each level has its own list, and no level uses a connection that another one opened', async (t) => {
  const server = await listen(t, { port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const [ok, no] = [200, 'address_refused']
  assert.deepEqual(await calls(t, url, { allowPrivate: ['127.0.0.0/8'] }), {
    operator: ok,
    app: ok,
    person: no,
    stranger: no,
  })
  assert.deepEqual(await calls(t, url, { allowPrivateTyped: ['127.0.0.0/8'] }), {
    operator: no,
    app: no,
    person: ok,
    stranger: ok,
  })
  assert.deepEqual(await calls(t, url, { also: { app: ['127.0.0.0/8'] } }), {
    operator: no,
    app: ok,
    person: no,
    stranger: no,
  })
})

test('the demo services are known by name to the operator’s addresses only', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'levels-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'x.sock')
  await listen(t, { path })
  const no = 'name_unresolved'
  const resolve = () => Promise.resolve([])
  assert.deepEqual(await calls(t, 'http://demo.test/', { sockets: { 'demo.test': path }, resolve }), {
    operator: 200,
    app: no,
    person: no,
    stranger: no,
  })
})

test('S37 a port of a database is refused to people alike, whether the name leads inside, outside or nowhere', async (t) => {
  const said = new Set<string>()
  for (const answers of [['10.0.0.1'], ['93.184.216.34'], []]) {
    const resolve = () => Promise.resolve(answers.map((address) => ({ address })))
    const levels = createEgressLevels({ allowPrivate: ['10.0.0.0/8'], allowPrivateTyped: [], resolve })
    t.after(() => levels.close())
    for (const trust of ['person', 'stranger'] as const) {
      const { dispatcher } = levels.at(trust)
      const error = await request('https://some.test:5432/', { dispatcher }).catch((caught: unknown) => caught)
      const { reason, message, ofName, host } = egressErrorIn(error)!
      said.add(JSON.stringify([reason, message, ofName, host]))
    }
  }
  assert.equal(said.size, 1, [...said].join('\n'))
})
