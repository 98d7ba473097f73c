import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createKinds } from '#destinations/kinds.ts'
import type { DestinationKind } from '#model/apps/destination.ts'
import { deps, destinationOf } from './fixture.ts'

const kinds = createKinds({ filesDir: undefined })
after(() => deps.close())

async function rogue(serve: (socket: Socket) => void): Promise<{ port: number; stop: () => Promise<void> }> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {})
    serve(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    stop: async () => {
      server.close()
      for (const socket of open) socket.destroy()
      await once(server, 'close')
    },
  }
}

async function findingsOf(kind: DestinationKind, url: string): Promise<string> {
  const connection = kinds[kind].open(deps, destinationOf(kind), { url })
  const findings = await connection.test()
  await connection.close()
  assert.ok(findings.some(({ ok }) => !ok))
  return findings.map(({ detail }) => detail).join('\n')
}

/** A packet of MySQL's protocol. */
function packet(sequence: number, body: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUIntLE(body.length, 0, 3)
  head[3] = sequence
  return Buffer.concat([head, body])
}

test('S35 a MySQL server that requests a file gets none', async () => {
  const secret = join(tmpdir(), `tributary-secret-${process.pid}`)
  writeFileSync(secret, 'TOP SECRET')
  const received: Buffer[] = []
  const greeting = Buffer.concat([
    Buffer.from('\x0a8.0.0-rogue\0'),
    Buffer.from([1, 0, 0, 0]),
    Buffer.from('12345678\0'),
    // All capabilities but TLS and compression, and LOCAL_FILES among them.
    Buffer.from([0xdf, 0xf7, 0x21, 0x02, 0x00, 0xff, 0x81, 21]),
    Buffer.alloc(10),
    Buffer.from('123456789012\0mysql_native_password\0'),
  ])
  let asked = false
  const server = await rogue((socket) => {
    socket.write(packet(0, greeting))
    let login = true
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk)
      if (login) {
        login = false
        socket.write(packet(2, Buffer.from([0, 0, 0, 2, 0, 0, 0])))
        return
      }
      // An empty packet is the refusal; then the statement fails.
      if (chunk.length === 4) socket.write(packet(3, Buffer.from('\xff\x15\x04#28000denied', 'latin1')))
      if (chunk[4] !== 3) return
      // The response to any statement: "LOAD DATA LOCAL INFILE", a request for this file.
      asked = true
      socket.write(packet(1, Buffer.from(`\xfb${secret}`, 'latin1')))
    })
  })
  const said = await findingsOf('mysql', `mysql://u:p@127.0.0.1:${server.port}/db?sslmode=disable`)
  assert.ok(asked)
  assert.doesNotMatch(said, /SECRET/)
  assert.doesNotMatch(Buffer.concat(received).toString('latin1'), /TOP SECRET/)
  await server.stop()
})

test('S35 connections to servers that send without end are closed, with bounded memory', async () => {
  const most = 300 * 1024 * 1024
  const zeros = Buffer.alloc(1024 * 1024)
  const sendWithoutEnd = (socket: Socket, bytes = zeros) => {
    const more = () => {
      while (!socket.destroyed && socket.write(bytes));
    }
    socket.on('drain', more)
    more()
  }
  // A row of PostgreSQL that claims to be a gigabyte long.
  const row = Buffer.concat([Buffer.from('D'), Buffer.from([0x3f, 0xff, 0xff, 0xff, 0, 1])])
  const hello = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')
  // Notices that are correct, each and every one.
  const notices = Buffer.concat(
    Array.from({ length: 1000 }, () => Buffer.from(`N\0\0\x03\xefM${'x'.repeat(1000)}\0\0`, 'latin1')),
  )
  const before = process.memoryUsage().rss
  for (const [start, rest] of [
    [row, zeros],
    [notices, notices],
  ] as const) {
    const postgres = await rogue((socket) => {
      let greeted = false
      socket.on('data', () => {
        if (!greeted) socket.write(hello)
        else {
          socket.write(start)
          sendWithoutEnd(socket, rest)
        }
        greeted = true
      })
    })
    const said = await findingsOf('postgres', `postgres://u:p@127.0.0.1:${postgres.port}/db?sslmode=disable`)
    assert.match(said, /far more than it was asked for/)
    await postgres.stop()
  }

  const mysql = await rogue((socket) => {
    socket.write(packet(0, Buffer.from('\x0a8')))
    sendWithoutEnd(socket)
  })
  await findingsOf('mysql', `mysql://u:p@127.0.0.1:${mysql.port}/db?sslmode=disable`)
  await mysql.stop()
  const grown = process.memoryUsage().rss - before
  assert.ok(grown < most, `${Math.round(grown / 1e6)} MB`)
})

for (const [kind, url] of [
  ['postgres', 'postgres://u:p@HOST/db?sslmode=disable'],
  ['mysql', 'mysql://u:p@HOST/db?sslmode=disable'],
  ['nats', 'nats://u:p@HOST?tls=false'],
] as const) {
  test(`a ${kind} server that speaks another protocol is reported as such`, async () => {
    const server = await rogue((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    await findingsOf(kind, url.replace('HOST', `127.0.0.1:${server.port}`))
    await server.stop()
  })
}
