import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type EgressReason, egressErrorIn } from './errors.ts'
import { createEgress } from './guard.ts'

async function greet(
  t: TestContext,
  listen: (server: Server) => Server,
): Promise<{ server: Server; count: () => number }> {
  let count = 0
  const server = createServer((socket) => {
    count++
    socket.end('hello')
  })
  await once(listen(server), 'listening')
  t.after(() => server.close())
  return { server, count: () => count }
}

function refusal(reason: EgressReason) {
  return (error: unknown) => egressErrorIn(error)?.reason === reason
}

test('a connected socket reaches the checked address of a name', async (t) => {
  const { server, count } = await greet(t, (it) => it.listen(0, '127.0.0.1'))
  const { port } = server.address() as AddressInfo
  const resolve = () => Promise.resolve([{ address: '127.0.0.1' }])
  const open = createEgress({ allowPrivate: ['127.0.0.1'], resolve })
  t.after(() => open.close())
  const socket = await open.connectSocket('database.test', port)
  assert.equal(String(Buffer.concat((await socket.toArray()) as Buffer[])), 'hello')
  assert.equal(count(), 1)
  const shut = createEgress({ allowPrivate: [], resolve })
  t.after(() => shut.close())
  for (const host of ['database.test', '127.0.0.1', '[::1]', '2130706433']) {
    await assert.rejects(shut.connectSocket(host, port), refusal('address_refused'), host)
  }
  assert.equal(count(), 1)
})

test('a socket that a driver connects by itself is guarded too', async (t) => {
  const { server, count } = await greet(t, (it) => it.listen(0, '127.0.0.1'))
  const { port } = server.address() as AddressInfo
  const open = createEgress({ allowPrivate: ['127.0.0.0/8'] })
  const shut = createEgress({ allowPrivate: [] })
  t.after(() => Promise.all([open.close(), shut.close()]))
  const socket = open.socket()
  socket.connect(port, '127.0.0.1')
  assert.equal(String(Buffer.concat((await socket.toArray()) as Buffer[])), 'hello')
  const refused = shut.socket()
  const error = await new Promise((resolve) => refused.once('error', resolve).connect(port, 'localhost'))
  assert.ok(refusal('address_refused')(error), String(error))
  assert.equal(count(), 1)
})

test('S34 no spelling opens a unix socket', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'egress-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'x.sock')
  const { count } = await greet(t, (it) => it.listen(path))
  const egress = createEgress({ allowPrivate: ['0.0.0.0/0', '::/0'] })
  t.after(() => egress.close())
  const connect = (...target: unknown[]) => {
    const socket = egress.socket()
    const failed = new Promise((resolve) => socket.once('error', resolve))
    Reflect.apply(socket.connect.bind(socket), socket, target)
    return failed
  }
  for (const target of [[path], [{ path }], [5432, path], [5432, ''], [5432], [path, 'localhost']]) {
    assert.ok(refusal('unix_socket_refused')(await connect(...target)), JSON.stringify(target))
  }
  assert.equal(count(), 0)
})
