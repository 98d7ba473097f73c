import type { Readable, Writable } from 'node:stream'
import { Client } from 'pg'
import { from, to } from 'pg-copy-streams'

/** A separate connection for large transfers, without the watchdog and without prepared statements. */
export interface CopyConnection {
  run<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** The rows of a `copy … to stdout`, as the server sends them and no faster than they are read. */
  copyOut(text: string): Readable
  /**
   * The target of a `copy … from stdin`; `finish` comes when the server has stored everything. Use it with `pipeline`, because a write
   * in progress gets no answer when the connection is lost, and from a source that ends when the stream is destroyed.
   */
  copyIn(text: string): Writable
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
      copyOut: (text) => destroyedByFailure(client.query(to(text))),
      copyIn: (text) => destroyedByFailure(client.query(from(text))),
    })
  } finally {
    // Without waiting: a transfer that was given up does not end by itself.
    void client.end().catch(() => {})
    client.connection.stream.destroy()
  }
}

/** The streams only emit the error of the server or of the connection, which nobody may be listening for by then, and do not end. */
function destroyedByFailure<Stream extends Readable | Writable>(stream: Stream): Stream {
  stream.on('error', (error) => stream.destroy(error))
  return stream
}
