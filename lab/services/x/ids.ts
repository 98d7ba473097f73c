import { createHash } from 'node:crypto'

const epochMs = 1_288_834_974_657n

/** Ids with a timestamp in the upper 41 bits. They exceed the precision of a double, so JSON has them as text. */
export const snowflakeAt = (ms: number, sequence: number): string =>
  String(((BigInt(Math.floor(ms)) - epochMs) << 22n) | BigInt(sequence & 0x3f_ffff))

export const compareIds = (a: string, b: string): number => {
  const difference = BigInt(a) - BigInt(b)
  return difference === 0n ? 0 : difference < 0n ? -1 : 1
}

export const placeId = (name: string): string => createHash('sha256').update(`place ${name}`).digest('hex').slice(0, 16)

export const shortLink = (name: string): string =>
  `https://t.co/${createHash('sha256')
    .update(name)
    .digest('base64')
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, 10)}`

/** Opaque like the vendor's tokens: at least 16 letters and digits. */
export const encodeToken = (text: string): string => Buffer.from(text.padEnd(12, ' ')).toString('hex')
export const decodeToken = (token: string): string => Buffer.from(token, 'hex').toString().trimEnd()
