import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Readable, Writable } from 'node:stream'
import { Client, type Submittable } from 'pg'

/** A separate connection for large transfers, without the watchdog and without prepared statements. */
export interface CopyConnection {
  run<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** The rows of a `copy … to stdout`, as the server sends them and no faster than they are read. */
  copyOut(text: string): Readable
  /** The target of a `copy … from stdin`; `finish` comes when the server has stored everything. */
  copyIn(text: string): Writable
}

/** The part of pg's connection that copying uses; its types do not describe it. */
interface Wire {
  stream: Socket
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

export async function withCopyConnection<Result>(
  url: string,
  work: (connection: CopyConnection) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: url, application_name: 'tributary', keepAlive: true })
  // A lost connection fails the statement in progress; without a listener the error would end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work({
      run: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
        (await client.query<Row>(text, [...values])).rows,
      copyOut: (text) => client.query(new CopyOut(text)).readable,
      copyIn: (text) => client.query(new CopyIn(text)).writable,
    })
  } finally {
    // Without waiting: a transfer that was given up does not end by itself.
    void client.end().catch(() => {})
    ;(client as unknown as { connection: Wire }).connection.stream.destroy()
  }
}

/** The messages that pg passes to a statement. */
class Copy implements Submittable {
  readonly #text: string
  protected wire: Wire | undefined

  constructor(text: string) {
    this.#text = text
  }

  submit(connection: unknown): void {
    this.wire = connection as Wire
    this.wire.query(this.#text)
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
  handleCommandComplete(): void {}
}

class CopyOut extends Copy {
  readonly readable: Readable

  constructor(text: string) {
    super(text)
    this.readable = new Readable({ read: () => this.wire?.stream.resume() })
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    // A copy: the message lies in a buffer that the connection uses again.
    if (!this.readable.push(Buffer.from(chunk))) this.wire?.stream.pause()
  }

  handleReadyForQuery(): void {
    this.readable.push(null)
  }

  handleError(error: Error): void {
    this.readable.destroy(error)
  }
}

class CopyIn extends Copy {
  readonly writable: Writable
  readonly #started = Promise.withResolvers<void>()
  readonly #stored = Promise.withResolvers<void>()

  constructor(text: string) {
    super(text)
    // A failure is reported by the stream.
    for (const { promise } of [this.#started, this.#stored]) promise.catch(() => {})
    this.writable = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        void report(this.#send(chunk), done)
      },
      final: (done) => {
        void report(this.#end(), done)
      },
      destroy: (error, done) => {
        if (error !== null) this.wire?.sendCopyFail('interrupted')
        done(error)
      },
    })
  }

  async #send(chunk: Buffer): Promise<void> {
    await this.#started.promise
    this.wire!.sendCopyFromChunk(chunk)
    const { stream } = this.wire!
    if (stream.writableLength >= stream.writableHighWaterMark)
      await Promise.race([once(stream, 'drain'), this.#stored.promise])
  }

  async #end(): Promise<void> {
    await this.#started.promise
    this.wire!.endCopyFrom()
    await this.#stored.promise
  }

  handleCopyInResponse(): void {
    this.#started.resolve()
  }

  handleReadyForQuery(): void {
    this.#stored.resolve()
  }

  handleError(error: Error): void {
    this.#started.reject(error)
    this.#stored.reject(error)
    this.writable.destroy(error)
  }
}

/** Tells a stream how its step ended. */
async function report(step: Promise<void>, done: (error?: Error) => void): Promise<void> {
  try {
    await step
  } catch (error) {
    done(error as Error)
    return
  }
  done()
}
