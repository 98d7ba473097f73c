import { isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { ConnectionOptions, Transport } from '@nats-io/transport-node'
import type { KindDeps } from '../contract.ts'
import { NatsFrames, natsFault } from './frames.ts'

/** Limit: bytes that a NATS server sends after our last request. More end the connection. */
const MAX_UNSOLICITED_BYTES = 2 * 1024 * 1024
/** Limit: messages and lines that a NATS server sends after our last request. More end the connection. */
const MAX_UNSOLICITED_FRAMES = 10_000
/** Limit: bytes that wait to be sent to a NATS server that does not read. More end the connection. */
const MAX_UNSENT_BYTES = 32 * 1024 * 1024

/** The server that a transport connects to. */
export interface NatsTarget {
  deps: KindDeps
  host: string
  port: number
  /** Undefined without TLS. */
  tls: { ca?: string } | undefined
  /** Called with the reason when an open connection ends, before pending requests fail. */
  onFault: (error: Error) => void
}

export type NatsTransportOptions = ConnectionOptions & { target: NatsTarget }

/**
 * The library's transport, over a socket of the egress guard: the address is checked, frames are checked and counted after
 * decryption, and the socket is destroyed when connecting fails. The library's own transport does none of this.
 */
export class CheckedNatsTransport implements Transport {
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
  /** Received since our last request. */
  #unsolicited = { bytes: 0, frames: 0 }
  /** Frames that the library has not read yet. */
  #received: Buffer[] = []
  #wake = () => {}
  #onFault: (error: Error) => void = () => {}

  get isClosed(): boolean {
    return this.#done
  }

  isEncrypted(): boolean {
    return this.#encrypted
  }

  async connect(_server: unknown, options: ConnectionOptions): Promise<void> {
    if (!hasTarget(options)) throw new Error('The options of a connection have no target')
    const { deps, host, port, tls, onFault } = options.target
    this.#onFault = onFault
    // The connection may end before the greeting is awaited.
    this.#greeted.promise.catch(() => {})
    const socket = deps.egress.socket({ plain: tls === undefined })
    socket.setNoDelay(true)
    this.#listen(socket)
    socket.connect(port, host)
    await this.#greeted.promise
    const { info } = this.#frames
    if (tls === undefined && info?.tls_required === true) throw natsFault('requires TLS; leave out tls=false')
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
      this.#unsolicited.bytes += chunk.length
      this.#unsolicited.frames += frames.length
      if (this.#unsolicited.bytes > MAX_UNSOLICITED_BYTES || this.#unsolicited.frames > MAX_UNSOLICITED_FRAMES)
        throw natsFault('sent far more than it was asked for')
      this.#received.push(...frames)
      if (this.#received.length === 0) return
      if (this.#frames.info === undefined) throw natsFault('did not greet us')
      this.#greeted.resolve()
      this.#wake()
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)))
    }
  }

  async #startTls(socket: Socket, host: string, tls: { ca?: string }): Promise<void> {
    // Bytes after the greeting were not encrypted: they must not be read as if they had come inside TLS.
    if (this.#received.length !== 1 || !this.#frames.isComplete)
      throw natsFault('sent more than its greeting before TLS')
    socket.removeAllListeners('data')
    // The certificate must match the host of the address, not the IP address that we connect to.
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

  /** Ends the transport once: destroys the socket and fails what waits for it. */
  #end(error: Error | undefined): void {
    if (this.#done) return
    this.#done = true
    if (error !== undefined) this.closeError = error
    if (error !== undefined && this.#connected) this.#onFault(error)
    this.#socket?.destroy()
    this.#greeted.reject(error ?? natsFault('was disconnected by us'))
    this.#wake()
    // If the connection was never open, connect() fails, and the library must not see it close.
    if (this.#connected) this.#closed.resolve()
  }

  async *[Symbol.asyncIterator](): AsyncIterableIterator<Uint8Array> {
    for (;;) {
      const frames = this.#received
      this.#received = []
      for (const frame of frames) yield frame
      if (this.#received.length > 0) continue
      if (this.#done) return
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  send(frame: Uint8Array): void {
    if (this.#done || this.#socket === undefined) return
    // A PONG only responds to the server's own PING, so it allows no further responses.
    if (!isPong(frame)) this.#unsolicited = { bytes: 0, frames: 0 }
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

function hasTarget(options: ConnectionOptions): options is NatsTransportOptions {
  return 'target' in options
}

function isPong(frame: Uint8Array): boolean {
  return frame.length === 6 && frame[0] === 80 && frame[1] === 79
}
