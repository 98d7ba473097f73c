import { createHash } from 'node:crypto'
import { SetupError } from '#platform/errors.ts'

/**
 * A backup is a sequence of frames, compressed: a type (1 byte), a length (4 bytes) and a content. `header` comes first; a `table`
 * is followed by its `data`; `end` contains the checksum of all bytes before it.
 */
export type FrameType = 'header' | 'table' | 'data' | 'end'

export interface Frame {
  type: FrameType
  content: Buffer
}

const TYPES: Record<FrameType, number> = { header: 1, table: 2, data: 3, end: 4 }
const HEAD_BYTES = 5
/** Content of a `data` frame; more is divided. */
export const DATA_BYTES = 256 * 1024
/** Limit: bytes of one frame of a backup file; a larger one means that the file is damaged. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024

export function encodeFrame({ type, content }: Frame): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt8(TYPES[type])
  head.writeUInt32BE(content.length, 1)
  return Buffer.concat([head, content])
}

/** Reads frames from the uncompressed bytes; fails when they end inside a frame, without `end`, or with a wrong checksum. */
export async function* readFrames(bytes: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  const hash = createHash('sha256')
  let rest: Buffer = Buffer.alloc(0)
  let isComplete = false
  for await (const chunk of bytes) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let length = frameLength(rest); length !== undefined && rest.length >= length; length = frameLength(rest)) {
      if (isComplete) throw damaged('something follows its end')
      const frame = { type: typeOf(rest), content: rest.subarray(HEAD_BYTES, length) }
      if (frame.type === 'end') {
        const { sha256 } = parseContent(frame) as { sha256?: unknown }
        if (sha256 !== hash.digest('hex')) throw damaged('its checksum is wrong')
        isComplete = true
      } else hash.update(rest.subarray(0, length))
      yield frame
      rest = rest.subarray(length)
    }
  }
  if (!isComplete || rest.length > 0) throw damaged('it ends too early')
}

/** Reads the JSON of a frame. */
export function parseContent({ content }: Frame): unknown {
  try {
    return JSON.parse(content.toString('utf8'))
  } catch {
    // The text of the error would repeat what is in the file.
    throw damaged('a part of it cannot be read')
  }
}

export function damaged(how: string): SetupError {
  return new SetupError(`The backup is damaged: ${how}.`, {
    code: 'backup_damaged',
    help: 'Use another backup. tributary backup verify FILE checks one without a database.',
  })
}

function frameLength(bytes: Buffer): number | undefined {
  if (bytes.length < HEAD_BYTES) return undefined
  const length = bytes.readUInt32BE(1)
  if (length > MAX_FRAME_BYTES) throw damaged('a part of it is too large')
  return HEAD_BYTES + length
}

function typeOf(bytes: Buffer): FrameType {
  const found = Object.entries(TYPES).find(([, number]) => number === bytes[0])
  if (found === undefined) throw damaged('a part of it is of an unknown type')
  return found[0] as FrameType
}
