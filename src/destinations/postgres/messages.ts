import { malformed } from '../checked-socket.ts'

/** Limit: columns of a result; our statements read at most 18. Beyond it the connection is closed. */
const MAX_COLUMNS = 256
/** Limit: login methods that a server may offer. Beyond it the connection is closed. */
const MAX_MECHANISMS = 16

/** The position after a zero-terminated text. */
export function afterText(bytes: Buffer, at: number, end: number): number {
  const zero = at < end ? bytes.indexOf(0, at) : -1
  if (zero < 0 || zero >= end) throw malformed('a text without an end')
  return zero + 1
}

/** Exactly `count` texts. */
export function checkTexts(bytes: Buffer, at: number, end: number, count: number): void {
  let next = at
  for (let i = 0; i < count; i += 1) next = afterText(bytes, next, end)
  if (next !== end) throw malformed('a message is longer than its contents')
}

/** The fields of an error or notice: a letter and a text each, then a zero. */
export function readFields(bytes: Buffer, at: number, end: number): Map<string, string> {
  const fields = new Map<string, string>()
  let next = at
  while (next < end && bytes[next] !== 0) {
    const after = afterText(bytes, next + 1, end)
    fields.set(String.fromCharCode(bytes[next]!), bytes.toString('utf8', next + 1, after - 1))
    next = after
  }
  if (next !== end - 1) throw malformed('an error without an end')
  return fields
}

/** Returns the number of columns. */
export function checkDescription(bytes: Buffer, at: number, end: number): number {
  if (end - at < 2) throw malformed('a truncated description')
  const count = bytes.readUInt16BE(at)
  if (count > MAX_COLUMNS) throw malformed(`${count} columns`)
  let next = at + 2
  for (let i = 0; i < count; i += 1) next = afterText(bytes, next, end) + 18
  if (next !== end) throw malformed('a description with a wrong length')
  return count
}

export function checkRow(bytes: Buffer, at: number, end: number, columns: number): void {
  if (end - at < 2 || bytes.readUInt16BE(at) !== columns) throw malformed('a row with other columns than described')
  let next = at + 2
  for (let i = 0; i < columns; i += 1) {
    if (next + 4 > end) throw malformed('a truncated row')
    const length = bytes.readInt32BE(next)
    if (length < -1) throw malformed('a value of negative length')
    next += 4 + Math.max(0, length)
  }
  if (next !== end) throw malformed('a row with a wrong length')
}

export function checkMechanisms(bytes: Buffer, at: number, end: number): void {
  let next = at
  for (let i = 0; next < end && bytes[next] !== 0; i += 1) {
    if (i >= MAX_MECHANISMS) throw malformed('too many login methods')
    next = afterText(bytes, next, end)
  }
  if (next !== end - 1) throw malformed('a list without an end')
}
