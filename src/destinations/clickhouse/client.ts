import { boundedText, requestOnce } from '../bounded-request.ts'
import { DeliveryError, type KindDeps } from '../contract.ts'
import type { DatabaseAddress } from '../database-address.ts'
import { explain } from '../driver-errors.ts'

/** Limit: milliseconds for one request to ClickHouse, with the body of its response. Then the request fails. */
const MAX_REQUEST_MS = 30_000
/** Limit: bytes of one response of ClickHouse. More fail the request. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024
/** Limit: characters of an error response of ClickHouse that are searched for its message. The rest is dropped. */
const MAX_ERROR_CHARACTERS = 4000
const SHOWN_CHARACTERS = 300
/** A constraint that the app added refuses a row. A retry would fail again. */
const VIOLATED_CONSTRAINT = 469

export type Row = Record<string, unknown>

/** ClickHouse's HTTP interface: one statement per request. */
export interface Client {
  run(sql: string): Promise<void>
  /** The rows of a query, with large numbers as text or as numbers, depending on the release. */
  rows(sql: string): Promise<Row[]>
  insert(table: string, rows: Row[]): Promise<void>
  /** Overrides timeouts, for tests. */
  waitMs: number | undefined
}

/** Releases write `Code: 81, e.displayText() = DB::Exception: …` or `Code: 81. DB::Exception: …`, some of them inside JSON. */
const EXCEPTION = /Code: (\d{1,5})\b.{0,40}?DB::(?:\w+)?Exception: ([^\n]*)/

export function createClient(deps: KindDeps, address: DatabaseAddress, signal: AbortSignal): Client {
  const { host, port, user, password, database, wantsPlain } = address
  const origin = `${wantsPlain ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`
  // Not Basic authentication: a server that repeats what it was sent would repeat the password in a form that is not hidden.
  const headers = {
    'x-clickhouse-user': headerText(user),
    'x-clickhouse-key': headerText(password),
    'content-type': 'text/plain; charset=utf-8',
  }
  // The status of the response then says whether the statement succeeded: it is sent last.
  const settings = { database, wait_end_of_query: '1' }

  async function send(parameters: Record<string, string>, body: string): Promise<string> {
    const url = `${origin}/?${new URLSearchParams({ ...settings, ...parameters }).toString()}`
    const waitMs = deps.waitMs ?? MAX_REQUEST_MS
    let status: number
    let text: string
    try {
      const response = await requestOnce(deps, { method: 'POST', url, headers, body, waitMs, signal })
      status = response.status
      text = await boundedText(response, MAX_RESPONSE_BYTES)
    } catch (error) {
      throw new DeliveryError('retry', `The server cannot be reached: ${explain(error)}`, { cause: error })
    }
    if (status === 200) return text
    // An insert repeats values of the row in its error, so only the words before the first of them are shown.
    throw failureOf(status, text, 'query' in parameters)
  }

  return {
    waitMs: deps.waitMs,
    run: async (sql) => {
      await send({}, sql)
    },
    rows: async (sql) => readRows(await send({ select_sequential_consistency: '1' }, `${sql} format JSON`)),
    insert: async (table, rows) => {
      // Rows are identified by their keys. A server that drops repeated blocks would not correct a row that was altered.
      const query = `insert into ${table} (${Object.keys(rows[0] ?? {}).join(', ')}) format JSONEachRow`
      await send({ query, insert_deduplicate: '0' }, rows.map((row) => JSON.stringify(row)).join('\n'))
    },
  }
}

/** A text as a literal. */
export function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`
}

function failureOf(status: number, text: string, isInsert: boolean): DeliveryError {
  const [, code, said = ''] = EXCEPTION.exec(text.slice(0, MAX_ERROR_CHARACTERS)) ?? []
  if (code === undefined) return new DeliveryError('retry', `The server answered ${status}.`)
  const words = said.split(', e.what() =', 1)[0]!.replace(/",?$/, '')
  const shown = isInsert ? words.split(/[:'"(`]/, 1)[0]! : words
  return new DeliveryError(
    isInsert && Number(code) === VIOLATED_CONSTRAINT ? 'reject' : 'retry',
    `Code ${code}: ${shown.trim().slice(0, SHOWN_CHARACTERS)}`,
  )
}

export function isRecord(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readRows(text: string): Row[] {
  const unreadable = () => new DeliveryError('retry', 'The response of the server cannot be read.')
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    // The parser's message would repeat the text.
    throw unreadable()
  }
  const { data, rows }: Row = isRecord(document) ? document : {}
  if (!Array.isArray(data) || data.length !== rows || !data.every(isRecord)) throw unreadable()
  return data
}

/** HTTP headers are sent as Latin-1, and the server reads UTF-8. */
function headerText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
