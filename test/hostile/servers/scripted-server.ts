import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createSecureContext, TLSSocket } from 'node:tls'

/** The attack of a hostile server, and at which of its turns. */
export interface Misdeed {
  /** Turns of the server are counted on each connection; 0 is the first. */
  turn: number
  bytes: Buffer
  how: 'before' | 'instead' | 'after'
  /** Sizes of the chunks in which this turn is sent. */
  pieces: number[]
  /** What follows bytes that were sent instead of a response. */
  finally: 'stay' | 'end' | 'reset'
}

export interface Identity {
  cert: string
  key: string
}

export interface ServerOptions {
  /** For TLS. */
  identity?: Identity | undefined
  /** Closes the connection when the client asks for it. */
  hangsUp?: boolean
}

export interface ScriptedServer {
  port: number
  open: () => number
  /** Everything that clients sent. */
  heard: () => string
  stop: () => Promise<void>
}

/** One connection, as the server sees it; `say` is a turn. */
export interface Talk {
  say: (honest: Buffer) => void
  listen: (listener: (chunk: Buffer) => void) => void
  /** Continues inside TLS, whose first bytes may already have been received. */
  secure: (early: Buffer) => void
  isSecure: () => boolean
  end: () => void
}

export async function startScripted(
  misdeed: Misdeed | undefined,
  { identity, hangsUp = true }: ServerOptions,
  serve: (talk: Talk) => void,
): Promise<ScriptedServer> {
  const sockets = new Set<Socket>()
  const heard: Buffer[] = []
  const server = createServer({ noDelay: true, allowHalfOpen: !hangsUp }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    if (!hangsUp) socket.on('end', () => writeUntilClosed(socket))
    const talk = talkOver(socket, misdeed, identity, heard)
    serve(hangsUp ? talk : { ...talk, end: () => {} })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    open: () => sockets.size,
    heard: () => Buffer.concat(heard).toString('latin1'),
    stop: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

/** A closed peer refuses writes; one that only ended its own side does not. */
function writeUntilClosed(socket: Socket): void {
  const timer = setInterval(() => socket.write('\0'), 20)
  socket.on('close', () => clearInterval(timer))
}

function talkOver(raw: Socket, misdeed: Misdeed | undefined, identity: Identity | undefined, heard: Buffer[]): Talk {
  let socket = raw
  let turn = 0
  let silent = false
  let sending = Promise.resolve()
  let listener: (chunk: Buffer) => void = () => {}
  const listen = (chunk: Buffer) => {
    heard.push(chunk)
    if (!silent) listener(chunk)
  }
  socket.on('data', listen)
  const send = (bytes: Buffer, pieces: number[]) => {
    const to = socket
    sending = sending.then(async () => {
      for (const piece of cut(bytes, pieces)) {
        if (to.destroyed || to.writableEnded) return
        to.write(piece)
        if (pieces.length > 0) await nextTurn()
      }
    })
  }
  const finish = () => {
    sending = sending.then(() => {
      if (misdeed?.finally === 'end') socket.end()
      if (misdeed?.finally !== 'reset') return
      raw.resetAndDestroy()
    })
  }
  return {
    say: (honest) => {
      if (silent) return
      const now = turn
      turn += 1
      if (misdeed === undefined || now !== misdeed.turn) {
        send(honest, [])
        return
      }
      const { how, bytes } = misdeed
      if (how === 'before') send(Buffer.concat([bytes, honest]), misdeed.pieces)
      else if (how === 'after') send(Buffer.concat([honest, bytes]), misdeed.pieces)
      else {
        send(bytes, misdeed.pieces)
        silent = true
        finish()
      }
    },
    listen: (next) => {
      listener = next
    },
    secure: (early) => {
      if (identity === undefined) throw new Error('This server has no certificate')
      const inner = new Duplex({
        read: () => {},
        write: (chunk, _encoding, done) => raw.write(chunk, done),
        final: (done) => raw.end(done),
      })
      raw.off('data', listen)
      raw.on('data', (chunk) => inner.push(chunk)).on('end', () => inner.push(null))
      if (early.length > 0) inner.push(early)
      const to = new TLSSocket(inner, { isServer: true, secureContext: createSecureContext(identity) })
      to.on('error', () => raw.destroy()).on('data', listen)
      socket = to
    },
    isSecure: () => socket !== raw,
    end: () => socket.end(),
  }
}

function cut(bytes: Buffer, pieces: number[]): Buffer[] {
  const cuts: Buffer[] = []
  let at = 0
  for (const size of pieces) {
    if (at >= bytes.length) return cuts
    cuts.push(bytes.subarray(at, at + size))
    at += size
  }
  return [...cuts, bytes.subarray(at)]
}
