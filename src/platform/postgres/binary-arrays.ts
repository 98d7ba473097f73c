/**
 * Arrays in PostgreSQL's binary format. In the text format every quote of a record would be escaped here and unescaped by
 * the server, which costs more than storing the record.
 */
const TEXT = 25
const BYTEA = 17
const UUID = 2950
const INT8 = 20
const INT4 = 23
const FLOAT8 = 701

const HEAD_BYTES = 20
const LENGTH_BYTES = 4
const NULL_LENGTH = -1

export function textArray(values: readonly (string | undefined)[]): Buffer {
  const lengths = values.map((value) => (value === undefined ? 0 : Buffer.byteLength(value)))
  return writeArray(
    TEXT,
    values,
    (i) => lengths[i]!,
    (bytes, at, value) => bytes.write(value, at),
  )
}

export function byteaArray(values: readonly Buffer[]): Buffer {
  return writeArray(
    BYTEA,
    values,
    (i) => values[i]!.length,
    (bytes, at, value) => value.copy(bytes, at),
  )
}

/** Each value is 32 hex digits. */
export function uuidArray(values: readonly string[]): Buffer {
  return writeArray(
    UUID,
    values,
    () => 16,
    (bytes, at, value) => bytes.write(value, at, 'hex'),
  )
}

/** Whole numbers within ±2^53. */
export function int8Array(values: readonly number[]): Buffer {
  return writeArray(
    INT8,
    values,
    () => 8,
    (bytes, at, value) => {
      const high = Math.floor(value / 2 ** 32)
      bytes.writeInt32BE(high, at)
      bytes.writeUInt32BE(value - high * 2 ** 32, at + 4)
    },
  )
}

export function int4Array(values: readonly number[]): Buffer {
  return writeArray(
    INT4,
    values,
    () => 4,
    (bytes, at, value) => bytes.writeInt32BE(value, at),
  )
}

export function float8Array(values: readonly (number | undefined)[]): Buffer {
  return writeArray(
    FLOAT8,
    values,
    () => 8,
    (bytes, at, value) => bytes.writeDoubleBE(value, at),
  )
}

function writeArray<Value>(
  type: number,
  values: readonly (Value | undefined)[],
  lengthOf: (i: number) => number,
  write: (bytes: Buffer, at: number, value: Value) => void,
): Buffer {
  let size = HEAD_BYTES
  for (let i = 0; i < values.length; i += 1) size += LENGTH_BYTES + (values[i] === undefined ? 0 : lengthOf(i))
  const bytes = Buffer.allocUnsafe(size)
  // One dimension, whether there are nulls, the element type, the length, the lower bound.
  ;[1, values.includes(undefined) ? 1 : 0, type, values.length, 1].forEach((word, i) => bytes.writeInt32BE(word, i * 4))
  let at = HEAD_BYTES
  for (const [i, value] of values.entries()) {
    const length = value === undefined ? NULL_LENGTH : lengthOf(i)
    bytes.writeInt32BE(length, at)
    at += LENGTH_BYTES
    if (value === undefined) continue
    write(bytes, at, value)
    at += length
  }
  return bytes
}

/** An array in text format for `::text[]`, to be an element of another array. */
export function arrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`
}
