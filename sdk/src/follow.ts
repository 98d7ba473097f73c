import { type Core, call, type Input, type Operation, type QueryOf, type ResponseOf, send } from './core.ts'
import { ConnectionError, isTributaryError } from './errors.ts'
import { readEvents } from './streams.ts'
import { type RequestOptions, sleep } from './transport.ts'

/** One state of a sync that is followed. `done` is the last one. */
export interface ProgressEvent<Progress = ResponseOf<'GET /profiles/{profile}/sync'>> {
  event: 'progress' | 'done'
  progress: Progress
}

const RECONNECT_BASE_MS = 500
/** Limit: the longest wait before a stream of progress is opened again. */
const MAX_RECONNECT_MS = 15_000
/** Limit: attempts in a row without an event, after which following a sync fails. */
const MAX_SILENT_ATTEMPTS = 8

/**
 * Follows a sync live until it is done. A stream that ends earlier (the server restarts, a proxy cuts it) is opened again. Ends with
 * an error when the profile or the access ended.
 */
export async function* followProgress<K extends Operation>(
  core: Core,
  operation: K,
  input: Input,
): AsyncGenerator<ProgressEvent<ResponseOf<K>>> {
  const { signal } = input.options ?? {}
  let last = ''
  for (let silent = 0; ; silent += 1) {
    try {
      const response = await send(core, operation, input, { isStream: true, accept: 'text/event-stream' })
      for await (const { event, data } of readEvents(response.body)) {
        if (event !== 'progress' && event !== 'done') continue
        silent = 0
        const isRepeated = data === last && event === 'progress'
        last = data
        if (!isRepeated) yield { event, progress: core.transport.parseJson(data) }
        if (event === 'done') return
      }
    } catch (error) {
      signal?.throwIfAborted()
      // What the server refused stays refused; a connection that broke off is opened again.
      if (isTributaryError(error) || silent >= MAX_SILENT_ATTEMPTS) throw error
    }
    if (silent >= MAX_SILENT_ATTEMPTS) throw new ConnectionError('The sync cannot be followed')
    await sleep(Math.random() * Math.min(MAX_RECONNECT_MS, RECONNECT_BASE_MS * 2 ** silent), signal)
  }
}

export type ChangesPage = ResponseOf<'GET /changes'>
/** Changes of all accounts of an app. */
export type AppChangesPage = ResponseOf<'GET /accounts/changes'>
export type ChangesQuery = NonNullable<QueryOf<'GET /changes'>>

/** The operations that return changes. */
type ChangesOperation = 'GET /changes' | 'GET /accounts/changes'

/** Reads changes from a cursor to the present, a page at a time. Store `cursor` of a page after processing it. */
export async function* readChanges<K extends ChangesOperation>(
  core: Core,
  operation: K,
  query: ChangesQuery = {},
  options: RequestOptions = {},
): AsyncGenerator<ResponseOf<K>> {
  let current = query
  for (;;) {
    const page = await call(core, operation, { query: current, options })
    yield page
    if (!page.more) return
    current = { ...current, cursor: page.cursor }
  }
}

/** Reads changes and goes on with new ones until the signal is aborted. Pages without changes are left out. */
export async function* followChanges<K extends ChangesOperation>(
  core: Core,
  operation: K,
  query: ChangesQuery = {},
  { pollMs = 5000, ...options }: RequestOptions & { pollMs?: number } = {},
): AsyncGenerator<ResponseOf<K>> {
  let current = query
  for (;;) {
    for await (const page of readChanges(core, operation, current, options)) {
      current = { ...current, cursor: page.cursor }
      if (page.changes.length > 0) yield page
    }
    await sleep(pollMs, options.signal)
  }
}
