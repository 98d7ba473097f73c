import { createHash } from 'node:crypto'

const epochMs = Date.UTC(2007, 1, 1)

/** 18 digits: exceeds the integer precision of a double. */
export const postIdAt = (ms: number, sequence: number): string =>
  String(BigInt(Math.floor(ms) - epochMs) * 1_000_000n + BigInt(sequence % 1_000_000))

export const blogUuid = (name: string): string =>
  `t:${createHash('sha256').update(`blog ${name}`).digest('base64url').slice(0, 22)}`

export const reblogKey = (id: string): string =>
  createHash('sha256').update(`reblog ${id}`).digest('base64url').slice(0, 8)

/** `2011-02-25 20:27:00 GMT` */
export const gmtDate = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} GMT`

export const slugOf = (words: string): string =>
  words
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40)

export const encodePage = (id: string): string => Buffer.from(`after ${id}`).toString('base64url')
export const decodePage = (token: string): string | undefined =>
  /^after (\d+)$/.exec(Buffer.from(token, 'base64url').toString())?.[1]
