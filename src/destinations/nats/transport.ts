import { isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { ConnectionOptions, Transport } from '@nats-io/transport-node'
import type { KindDeps } from '../contract.ts'
import { NatsFrames, natsFault } from './frames.ts'

/** Limit: bytes that a NATS server sends after our last request. More end the connection. */
const MAX_UNASKED_BYTES = 2 * 1024 * 1024
/** Limit: messages and lines that a NATS server sends after our last request. More end the connection. */
const MAX_UNASKED_FRAMES = 10_000
/** Limit: bytes that wait to be sent to a NATS server that does not read. More end the connection. */
const MAX_UNSENT_BYTES = 32 * 1024 * 1024

/** Where a transport connects to, and whether it speaks TLS. */
export interface NatsSocket {
  deps: KindDeps
  host: string
  port: number
  /** Undefined without TLS. */
  tls: { ca?: string } | undefined
  /** Told why an open connection ended, before those who wait for responses are told that it did. */
  noteFault: (error: Error) => void
}

export type NatsSocketOptions = ConnectionOptions & { line: NatsSocket }

/**
 * The library's way to a server, over a socket of ours: its address is checked, bytes and lines are counted after decryption, and it is
 * destroyed whenever connecting fails. The library's own transport does none of these.
 */
export class GuardedNatsTransport implements Transport {
  readonly lang = 'tributary'
  readonly version = '1.0.0'
  closeError?: Error
  readonly #frames = new NatsFrames()
  readonly #closed = Promise.withResolvers<void>()
  readonly #greeted = Promise.withResolvers<void>()
  #socket: Socket | undefined
  #encrypted = false
  #connected = false
  #done = false
  /** Since our last request. */
  #unasked = { bytes: 0, frames: 0 }
  #waiting: Buffer[] = []
  #wake = () => {}
  #noteFault: (error: Error) => void = () => {}

  get isClosed(): boolean {
    return this.#done
  }

  isEncrypted(): boolean {
    return this.#encrypted
  }

  async connect(_server: unknown, options: ConnectionOptions): Promise<void> {
    if (!hasSocket(options)) throw new Error('The options of a connection name no line')
    const { deps, host, port, tls, noteFault } = options.line
    this.#noteFault = noteFault
    // It may be ended before anybody waits for the greeting.
    this.#greeted.promise.catch(() => {})
    const socket = deps.egress.socket({ plain: tls === undefined })
    socket.setNoDelay(true)
    this.#listen(socket)
    socket.connect(port, host)
    await this.#greeted.promise
    const { info } = this.#frames
    if (tls === undefined && info?.tls_required === true) throw natsFault('wants TLS; leave out tls=false')
    if (tls !== undefined) {
      if (info?.tls_required !== true && info?.tls_available !== true) throw natsFault("does not support 'tls'")
      await this.#startTls(socket, host, tls)
    }
    if (this.#done) throw this.closeError ?? natsFault('closed the connection')
    this.#connected = true
  }

  #listen(socket: Socket): void {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('error', (error) => this.#end(error))
    socket.on('close', () => this.#end(natsFault('closed the connection')))
  }

  #receive(chunk: Buffer): void {
    try {
      const frames = this.#frames.push(chunk)
      this.#unasked.bytes += chunk.length
      this.#unasked.frames += frames.length
      if (this.#unasked.bytes > MAX_UNASKED_BYTES || this.#unasked.frames > MAX_UNASKED_FRAMES)
        throw natsFault('sent far more than it was asked for')
      this.#waiting.push(...frames)
      if (this.#waiting.length === 0) return
      if (this.#frames.info === undefined) throw natsFault('did not greet us')
      this.#greeted.resolve()
      this.#wake()
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)))
    }
  }

  async #startTls(socket: Socket, host: string, tls: { ca?: string }): Promise<void> {
    // Bytes behind the greeting were never encrypted: they must not count as what the server says inside TLS.
    if (this.#waiting.length !== 1 || !this.#frames.isWhole) throw natsFault('sent more than its greeting before TLS')
    socket.removeAllListeners('data')
    // The name in the address is what the certificate must say, not the number we connect to.
    const name = isIP(host) === 0 ? { servername: host } : { host }
    const inner = connectTls({ socket, ...name, ...tls, rejectUnauthorized: true })
    const secured = Promise.withResolvers<void>()
    inner.once('secureConnect', () => secured.resolve())
    inner.once('error', (error) => secured.reject(error))
    inner.once('close', () => secured.reject(natsFault('closed the connection')))
    this.#listen(inner)
    await secured.promise
    this.#encrypted = true
  }

  /** Whatever ended it, once: the socket is gone, and whoever waits is told. */
  #end(error: Error | undefined): void {
    if (this.#done) return
    this.#done = true
    if (error !== undefined) this.closeError = error
    if (error !== undefined && this.#connected) this.#noteFault(error)
    this.#socket?.destroy()
    this.#greeted.reject(error ?? natsFault('was left'))
    this.#wake()
    // Of a connection that never was, the library hears by connect() alone.
    if (this.#connected) this.#closed.resolve()
  }

  async *[Symbol.asyncIterator](): AsyncIterableIterator<Uint8Array> {
    for (;;) {
      const frames = this.#waiting
      this.#waiting = []
      for (const frame of frames) yield frame
      if (this.#waiting.length > 0) continue
      if (this.#done) return
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  send(frame: Uint8Array): void {
    if (this.#done || this.#socket === undefined) return
    // A response to the server's own PING is nothing that we asked for.
    if (!isPong(frame)) this.#unasked = { bytes: 0, frames: 0 }
    if (this.#socket.writableLength > MAX_UNSENT_BYTES) this.#end(natsFault('does not read what we send'))
    else this.#socket.write(frame)
  }

  async close(error?: Error): Promise<void> {
    this.#end(error)
  }

  disconnect(): void {
    this.#end(natsFault('does not answer'))
  }

  discard(): void {
    this.#end(undefined)
  }

  closed(): Promise<void> {
    return this.#closed.promise
  }
}

function hasSocket(options: ConnectionOptions): options is NatsSocketOptions {
  return 'line' in options
}

function isPong(frame: Uint8Array): boolean {
  return frame.length === 6 && frame[0] === 80 && frame[1] === 79
}
