import { StreamError } from './errors.ts'

type Parse = (text: string) => unknown
type Bytes = ReadableStream<Uint8Array> | null

/** The pieces of a body as text. Leaving the loop early cancels the body. */
async function* textOf(body: Bytes): AsyncGenerator<string, void, undefined> {
  if (body === null) return
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let isDone = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      isDone = done
      const text = decoder.decode(value, { stream: !done })
      if (text !== '') yield text
      if (done) return
    }
  } finally {
    if (!isDone)
      await reader.cancel().catch(() => {
        // It failed already.
      })
  }
}

/** The values of a response, NDJSON or an array. A connection that breaks off is a `StreamError`, unless the signal ended it. */
export async function* readValues<T>(
  open: () => Promise<Response>,
  { parse, signal }: { parse: Parse; signal: AbortSignal | undefined },
): AsyncGenerator<T> {
  const { headers, body } = await open()
  const isLines = headers.get('content-type')?.includes('ndjson') === true
  try {
    yield* (isLines ? readNdjson<T> : readJsonArray<T>)(body, parse)
  } catch (error) {
    if (signal?.aborted === true || error instanceof StreamError) throw error
    throw new StreamError('The response broke off.', { cause: error })
  }
}

/** Reads NDJSON, one value per line, as it arrives: an archive of the kind `files`, for example. */
export async function* readNdjson<T = unknown>(body: Bytes, parse: Parse = JSON.parse): AsyncGenerator<T> {
  let rest = ''
  for await (const text of textOf(body)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') yield valueOf<T>(line, parse)
  }
  if (rest.trim() !== '') yield valueOf<T>(rest, parse)
}

function valueOf<T>(text: string, parse: Parse): T {
  try {
    return parse(text) as T
  } catch (error) {
    throw new StreamError(`A value of the stream cannot be read: ${text.slice(0, 100)}`, { cause: error })
  }
}

/**
 * Reads the elements of a JSON array as they arrive, without holding the array. Throws `StreamError` when the body ends before the
 * array does: the server ends a response that it cannot complete in this way.
 */
export async function* readJsonArray<T = unknown>(body: Bytes, parse: Parse = JSON.parse): AsyncGenerator<T> {
  let element = ''
  let depth = 0
  let inText = false
  let isEscaped = false
  for await (const text of textOf(body)) {
    // Where the part of the current element begins in this piece.
    let from = 0
    for (let i = 0; i < text.length; i += 1) {
      const char = text[i]
      if (inText) {
        if (isEscaped) isEscaped = false
        else if (char === '\\') isEscaped = true
        else if (char === '"') inText = false
      } else if (char === '"') inText = true
      else if (char === '[' || char === '{') {
        if (depth === 0) {
          if (char === '{') throw new StreamError('The response is not an array.')
          from = i + 1
        }
        depth += 1
      } else if (char === ']' || char === '}' || (char === ',' && depth === 1)) {
        if (char === '}' && depth === 1) throw new StreamError('The response is not an array.')
        if (char !== ',') depth -= 1
        if (depth === 0 || char === ',') {
          const complete = (element + text.slice(from, i)).trim()
          element = ''
          from = i + 1
          if (complete !== '') yield valueOf<T>(complete, parse)
          if (depth === 0) return
        }
      } else if (depth === 0 && char?.trim() !== '') throw new StreamError('The response is not an array.')
    }
    element += text.slice(from)
  }
  throw new StreamError('The response ended before it was complete.')
}

/** One event of a `text/event-stream`. */
export interface ServerEvent {
  event: string
  data: string
  /** The id of the last event that had one. */
  id: string
  /** What the server asks to wait before connecting again. */
  retryMs?: number
}

/** Reads server-sent events as the HTML standard defines them. An event that the stream ends in is incomplete, and dropped. */
export async function* readEvents(body: Bytes): AsyncGenerator<ServerEvent> {
  let rest = ''
  let isFirst = true
  let [event, id] = ['', '']
  let data: string[] = []
  let retryMs: number | undefined
  for await (const text of textOf(body)) {
    rest += text
    if (isFirst && rest !== '') {
      isFirst = false
      if (rest.startsWith('\uFEFF')) rest = rest.slice(1)
    }
    // A final CR may be the first half of a CRLF.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0)
          yield {
            event: event === '' ? 'message' : event,
            data: data.join('\n'),
            id,
            ...(retryMs === undefined ? {} : { retryMs }),
          }
        event = ''
        data = []
        continue
      }
      const colon = line.indexOf(':')
      const field = colon < 0 ? line : line.slice(0, colon)
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
      if (field === 'data') data.push(value)
      else if (field === 'event') event = value
      else if (field === 'id' && !value.includes('\0')) id = value
      else if (field === 'retry' && /^\d+$/.test(value)) retryMs = Number(value)
    }
  }
}
