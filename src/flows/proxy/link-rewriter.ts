import { isUtf8 } from 'node:buffer'
import { foldName, type LinkPlace, NOWHERE } from '#kit/connector/link-paths.ts'

/** Limit (proxy): bytes of a link in a JSON body that is rewritten; a longer one becomes `null`. */
const MAX_LINK_BYTES = 16 * 1024
/** Limit: nesting of a JSON body in which links are rewritten; a deeper one ends the response. */
const MAX_DEPTH = 10_000

/** The address to write instead; the same one to leave it as it is written; null if nobody may follow it. */
export type RelateLink = (address: string) => string | null

/** A body is nested more deeply than anybody reads it. */
export class LinkDepthError extends Error {
  constructor() {
    super(`The response is nested more than ${MAX_DEPTH} levels deep`)
    this.name = 'LinkDepthError'
  }
}

/** A body in which other readers may find other names than this one. */
export class UnclearJsonError extends Error {
  constructor() {
    super('The response is not JSON that all readers read alike')
    this.name = 'UnclearJsonError'
  }
}

type Mode = 'between' | 'text' | 'name' | 'link' | 'dropped'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_OBJECT = 0x7b
const OPEN_ARRAY = 0x5b
const CLOSE_OBJECT = 0x7d
const CLOSE_ARRAY = 0x5d
const NULL = Buffer.from('null')
/** In text of two or four bytes per character, where names look like others. */
const NUL = 0x00
/** The comments of tolerant readers may contain quotes. */
const SLASH = 0x2f
/** Between texts, what tolerant readers take for other quotes, comments or escapes. */
const SUSPECT = bytesIn("\0'/#\\`")
const SPACE = bytesIn(' \t\r\n')

/**
 * Rewrites the texts at the places of links in a stream of JSON, and passes every other byte on as it came. Nothing is kept but the
 * place, the name or link that is being read, and one entry per level. What is not JSON is not refused: it passes as well, because
 * the reader has to refuse it anyway; except where tolerant readers would find other links in it. A text at the place of a link that
 * cannot be read becomes `null`.
 */
export class LinkRewriter {
  readonly #root: LinkPlace
  readonly #relate: RelateLink
  readonly #maxName: number
  /** The body is said to be JSON, and not only like it. */
  readonly #isJson: boolean
  /** The place of each container that is open, and whether it is an object. */
  readonly #places: LinkPlace[] = []
  readonly #objects: boolean[] = []
  /** The innermost of them. */
  #container: LinkPlace = NOWHERE
  #isObject = false
  #mode: Mode = 'between'
  #isEscaped = false
  /** The next text is the name of a field. */
  #wantsName = false
  /** The place of the value that comes next. */
  #place: LinkPlace
  /** The bytes of a name or link that earlier chunks contained. */
  #held: Buffer[] = []
  #heldBytes = 0

  constructor(root: LinkPlace, relate: RelateLink, isJson: boolean = true) {
    this.#isJson = isJson
    this.#root = root
    this.#relate = relate
    this.#place = root
    this.#maxName = longestName(root) * ESCAPED_UNIT_BYTES
  }

  /** The bytes that can be passed on after this chunk. */
  write(chunk: Buffer): Buffer {
    const out: Buffer[] = []
    let start = this.#mode === 'link' || this.#mode === 'dropped' ? chunk.length : 0
    /** Where the part of a name or link begins that is in this chunk. */
    let begin = 0
    let at = 0
    while (at < chunk.length) {
      if (this.#mode === 'between') {
        at = this.#skipBetween(chunk, at)
        if (at >= chunk.length) break
        this.#mode = this.#modeOfText(chunk[at + 1])
        at += 1
        begin = at
        if (this.#mode === 'link') {
          if (start < at - 1) out.push(chunk.subarray(start, at - 1))
          start = chunk.length
        }
        continue
      }
      const end = this.#endOfText(chunk, at)
      const isEnd = end < chunk.length
      if (this.#mode === 'name') this.#readName(chunk, begin, end)
      else if (this.#mode === 'link') {
        const written = this.#readLink(chunk.subarray(begin, end), isEnd)
        if (written !== undefined) out.push(written)
      }
      if (!isEnd) break
      if (this.#mode === 'link' || this.#mode === 'dropped') start = end + 1
      this.#mode = 'between'
      at = end + 1
    }
    if (out.length === 0) return start === 0 ? chunk : chunk.subarray(start)
    if (start < chunk.length) out.push(chunk.subarray(start))
    return out.length === 1 ? out[0]! : Buffer.concat(out)
  }

  /** What is left when the body ends: nothing, unless it ends inside a link. */
  end(): Buffer {
    return this.#mode === 'link' ? NULL : Buffer.alloc(0)
  }

  /** Returns where the next text begins, or the end of the chunk. */
  #skipBetween(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at]!
      if (byte === QUOTE) return at
      if (byte === COMMA) {
        this.#wantsName = this.#isObject
        if (this.#wantsName) this.#place = NOWHERE
      } else if (byte === COLON) this.#wantsName = false
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#open(byte === OPEN_OBJECT)
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) this.#close()
      else this.#check(byte)
    }
    return chunk.length
  }

  #check(byte: number): void {
    if (SUSPECT[byte] === 0 && (!this.#wantsName || SPACE[byte] === 1)) return
    // A prefix that stops scripts stands before the document, and may have an apostrophe.
    const isUnclear = this.#isJson && (this.#places.length > 0 || byte === SLASH)
    if (isUnclear || byte === NUL) throw new UnclearJsonError()
  }

  #open(isObject: boolean): void {
    if (this.#places.length >= MAX_DEPTH) throw new LinkDepthError()
    const place = this.#place
    this.#places.push(place)
    this.#objects.push(isObject)
    this.#container = place
    this.#isObject = isObject
    this.#wantsName = isObject
    this.#place = isObject ? NOWHERE : place.other
  }

  #close(): void {
    this.#places.pop()
    this.#objects.pop()
    this.#wantsName = false
    const depth = this.#places.length
    this.#container = depth === 0 ? NOWHERE : this.#places[depth - 1]!
    this.#isObject = depth > 0 && this.#objects[depth - 1]!
    if (depth === 0) this.#place = this.#root
    else this.#place = this.#isObject ? NOWHERE : this.#container.other
  }

  #modeOfText(first: number | undefined): Mode {
    if (!this.#wantsName) return this.#place.isLink ? 'link' : 'text'
    const container = this.#container
    this.#place = container.other
    if (container.isDead) return 'text'
    return first === undefined || container.begins[first] === 1 ? 'name' : 'text'
  }

  /** Returns where the quote is that ends the text, or the end of the chunk. */
  #endOfText(chunk: Buffer, from: number): number {
    let at = from
    if (this.#isEscaped) {
      this.#isEscaped = false
      at += 1
    }
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at]
      if (byte === QUOTE) return at
      if (byte === BACKSLASH) at += 1
    }
    this.#isEscaped = at > chunk.length
    return chunk.length
  }

  #readName(chunk: Buffer, begin: number, end: number): void {
    const isEnd = end < chunk.length
    // A longer name is none of those that matter.
    if (this.#heldBytes + end - begin > this.#maxName) {
      this.#release()
      if (!isEnd) this.#mode = 'text'
      return
    }
    if (!isEnd) return this.#hold(chunk.subarray(begin, end))
    const name = this.#heldBytes > 0 ? this.#release(chunk.subarray(begin, end)) : undefined
    const text = name === undefined ? chunk.toString('utf8', begin, end) : name.toString('utf8')
    const plain = text.includes('\\') ? textOf(Buffer.from(text)) : text
    const place = this.#container.names.get(foldName(plain ?? ''))
    if (place !== undefined) this.#place = place
  }

  #readLink(part: Buffer, isEnd: boolean): Buffer | undefined {
    if (this.#heldBytes + part.length > MAX_LINK_BYTES) {
      this.#release()
      this.#mode = 'dropped'
      return NULL
    }
    if (!isEnd) {
      this.#hold(part)
      return undefined
    }
    const written = this.#release(part)
    const address = textOf(written)
    const related = address === undefined ? null : this.#relate(address)
    if (related === null) return NULL
    return related === address ? Buffer.concat([QUOTE_TEXT, written, QUOTE_TEXT]) : Buffer.from(JSON.stringify(related))
  }

  /** A copy, because the memory of a chunk may be used again. */
  #hold(part: Buffer): void {
    if (part.length === 0) return
    this.#held.push(Buffer.from(part))
    this.#heldBytes += part.length
  }

  #release(part?: Buffer): Buffer {
    const held = this.#held
    this.#held = []
    this.#heldBytes = 0
    if (part === undefined) return NULL
    return held.length === 0 ? part : Buffer.concat([...held, part])
  }
}

const QUOTE_TEXT = Buffer.from('"')
/** As `\u0061`. */
const ESCAPED_UNIT_BYTES = 6

/** Undefined if it cannot be a text in JSON. */
function textOf(written: Buffer): string | undefined {
  if (!isUtf8(written)) return undefined
  try {
    return JSON.parse(`"${written.toString('utf8')}"`) as string
  } catch {
    // Readers that accept it disagree about what it says.
    return undefined
  }
}

function bytesIn(text: string): Uint8Array {
  const found = new Uint8Array(256)
  for (const byte of Buffer.from(text)) found[byte] = 1
  return found
}

function longestName(root: LinkPlace): number {
  const seen = new Set([root])
  let longest = 0
  for (const { names, other } of seen) {
    for (const [name, place] of names) {
      longest = Math.max(longest, name.length)
      seen.add(place)
    }
    seen.add(other)
  }
  return longest
}
