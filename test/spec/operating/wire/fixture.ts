import { once } from 'node:events'
import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { z } from 'zod'
import type { Listed } from '#http/routes.ts'
import type { HttpDeps } from '#http/server/deps.ts'
import { type Call, route } from '#http/server/route.ts'
import { beginUpload, endUpload } from '#http/server/uploading.ts'
import { createServer } from '#http/server.ts'
import { createTokenUses } from '#identity/token-uses.ts'
import type { Tributary } from '../../../harness/start.ts'

/** The real server with routes that do what routes may do, and the raw text of what it sends. */
export interface Wire {
  server: ReturnType<typeof createServer>
  url: string
  /** Log lines about requests, with what differs from run to run left out. */
  logged: () => Record<string, unknown>[]
  /** Lets the handler of `/wait` go on. */
  release: (value: unknown) => void
  /** Resolves when a handler that waits was called, once for each call. */
  called: () => Promise<void>
  close: () => Promise<unknown>
}

const body = z.looseObject({})

/** Opens a server of its own over the store of a running service. */
export async function openWire(
  tributary: Tributary,
  config: Partial<HttpDeps['config']> = {},
  host = '127.0.0.1',
): Promise<Wire> {
  const from = tributary.logged.length
  let release: (value: unknown) => void = () => {}
  let unseen = 0
  let onCall: (() => void) | undefined
  const call = () => {
    if (onCall === undefined) unseen += 1
    onCall?.()
    onCall = undefined
  }
  const values: Record<string, unknown> = {
    nothing: undefined,
    null: null,
    text: 'plain',
    empty: '',
    number: 1,
    false: false,
    list: [1, 'é'],
    bytes: Buffer.from([1, 2, 3]),
  }
  const returned = (name: string, type?: string): Listed => [
    'GET',
    `/return/${name}${type === undefined ? '' : '-typed'}`,
    route({ auth: 'none', summary: 's', ...(type === undefined ? {} : { type }), run: async () => values[name] }),
    'o',
  ]
  const doing = (path: string, run: (deps: HttpDeps, call: Call) => Promise<unknown>): Listed => [
    'GET',
    path,
    route({ auth: 'none', summary: 's', ignoresUnknown: true, run }),
    'o',
  ]
  const echo = route({
    auth: 'none',
    summary: 's',
    ignoresUnknown: true,
    path: z.object({ word: z.string() }),
    run: async (_deps, { path, request }) => ({
      word: path.word,
      query: request.query,
      body: request.body ?? 'none',
      url: request.url,
      original: request.originalUrl,
      ip: request.ip,
    }),
  })
  const routes: Listed[] = [
    ['GET', '/echo/:word', echo, 'o'],
    ['DELETE', '/echo/:word', echo, 'o'],
    ['POST', '/post', route({ auth: 'none', summary: 's', body, run: async (_deps, call) => call.body }), 'o'],
    [
      'POST',
      '/raw',
      route({ auth: 'none', summary: 's', rawBody: true, run: async (_deps, { request }) => [request.body] }),
      'o',
    ],
    [
      'POST',
      '/upload',
      route({
        auth: 'browser',
        crossSite: true,
        summary: 's',
        streamsBody: true,
        run: async (_deps, { request: { raw } }) => {
          beginUpload(raw.socket)
          call()
          let bytes = 0
          for await (const chunk of raw) bytes += (chunk as Buffer).length
          endUpload(raw.socket)
          return { bytes }
        },
      }),
      'o',
    ],
    ...Object.keys(values).map((name) => returned(name)),
    ...['nothing', 'null', 'text', 'list', 'bytes'].map((name) => returned(name, 'application/json')),
    doing('/status/no-content', async (_deps, { reply }) => reply.code(204).send('left out')),
    doing('/status/not-modified', async (_deps, { reply }) => reply.code(304).send('left out')),
    doing('/status/created', async (_deps, { reply }) => reply.code(201).header('location', '/a').send()),
    doing('/twice', async (_deps, { reply }) => {
      reply.send('first')
      return reply.send('second')
    }),
    doing('/cookies', async (_deps, { reply }) => {
      reply.header('set-cookie', 'a=1').header('set-cookie', 'b=2').header('X-Upper', 'kept')
      return { upper: reply.getHeader('x-upper'), has: reply.hasHeader('X-UPPER') }
    }),
    doing('/stream', async (_deps, { reply }) => reply.type('text/plain').send(Readable.from(['one ', 'two']))),
    doing('/stream-without-type', async (_deps, { reply }) => reply.send(Readable.from(['one ', 'two']))),
    doing('/stream-fails-first', async (_deps, { reply }) =>
      reply.type('text/plain').send(
        new Readable({
          read() {
            this.destroy(new Error('at once'))
          },
        }),
      ),
    ),
    doing('/stream-fails-later', async (_deps, { reply }) => {
      async function* pieces() {
        yield 'one '
        // The first piece is on its way.
        await turn()
        throw new Error('later')
      }
      return reply.type('text/plain').send(Readable.from(pieces()))
    }),
    doing('/fails', async (_deps, { reply }) => {
      reply.code(201).type('text/plain').headers({ 'x-before': 'kept', 'content-length': '3' })
      throw new Error('secret')
    }),
    doing('/fails-after-head', async (_deps, { reply }) => {
      reply.raw.writeHead(200, { 'content-type': 'text/plain' })
      reply.raw.write('begun')
      await turn()
      throw new Error('too late')
    }),
    doing('/fails-hijacked', async (_deps, { reply }) => {
      reply.hijack()
      reply.raw.writeHead(200, { 'content-type': 'text/plain', connection: 'close' })
      reply.raw.end('whole')
      throw new Error('nobody reads it')
    }),
    doing('/wait', async (_deps, { reply }) => {
      const { promise, resolve } = Promise.withResolvers<unknown>()
      release = resolve
      call()
      const value = await promise
      return value === 'reply' ? reply.send('waited') : value
    }),
    doing('/wait-for-hangup', async (_deps, { reply }) => {
      call()
      await once(reply.raw, 'close')
      return { late: true }
    }),
    doing('/stream-until-hangup', async (_deps, { reply }) => {
      async function* pieces() {
        for (;;) {
          yield 'x'.repeat(1000)
          call()
          await turn()
        }
      }
      return reply.type('text/plain').send(Readable.from(pieces()))
    }),
  ]
  const deps = {
    ...tributary.store,
    tokenUses: createTokenUses(tributary.store),
    config: { baseUrl: 'http://own.test', trustProxy: [], drainMs: 0, ...config },
    isDraining: () => false,
    version: 'x',
  }
  const server = createServer(deps as unknown as HttpDeps, routes)
  const url = await server.listen({ port: 0, host })
  return {
    server,
    url,
    logged: () =>
      tributary.logged.slice(from).flatMap((line) => {
        const { message, path, status, method, reason, error } = JSON.parse(line) as Record<string, unknown>
        if (message !== 'request' && message !== 'a request failed') return []
        const text = typeof error === 'object' && error !== null ? (error as { message?: string }).message : error
        return [{ message, method, path, status, reason, error: String(text).split('\n')[0] }]
      }),
    release: (value) => release(value),
    called: async () => {
      if (unseen === 0) return new Promise((resolve) => (onCall = resolve))
      unseen -= 1
    },
    close: () => server.close(),
  }
}
