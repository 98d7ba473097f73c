import { murmur3Hex } from './murmur3.ts'
import { decodePart, encodePart } from './percent-encoding.ts'
import { profileName } from './profile-name.ts'

/** A whole stream: everything of one type that one endpoint gives for one service user. Parts are plain, not encoded. */
export interface StreamName {
  type: string
  /** Native id of the service user; absent for things that belong to nobody. */
  owner?: string
  service: string
  endpoint: string
}

/** `type:[owner@]service/endpoint[#item]` taken apart. Parts are plain, not encoded. */
export interface Idr extends StreamName {
  /** Native id of the item; absent when the IDR names a whole stream. */
  item?: string
}

/** A global id taken apart: the hash of the IDR and the partition of its owner. */
export interface GlobalId {
  hash: string
  partition: string
}

const NAME = /^[a-z0-9][a-z0-9._-]*$/
const GLOBAL_ID = /^([0-9a-f]{32})_([0-9a-f]{9})$/

/** Reads an IDR in any accepted spelling; `undefined` when the text is none. */
export function parseIdr(text: string): Idr | undefined {
  const colon = text.indexOf(':')
  const sharp = text.indexOf('#', colon)
  const slash = text.indexOf('/', colon)
  if (colon < 1 || slash < 0 || (sharp >= 0 && sharp < slash)) return undefined
  const ownerAndService = text.slice(colon + 1, slash)
  const at = ownerAndService.lastIndexOf('@')
  const type = text.slice(0, colon).toLowerCase()
  const service = ownerAndService.slice(at + 1).toLowerCase()
  if (!NAME.test(type) || !NAME.test(service)) return undefined
  const endpoint = decodePart(text.slice(slash + 1, sharp < 0 ? undefined : sharp))
  if (!endpoint) return undefined
  const idr: Idr = { type, service, endpoint }
  if (at >= 0) {
    const owner = decodePart(ownerAndService.slice(0, at))
    if (!owner) return undefined
    idr.owner = owner
  }
  if (sharp >= 0) {
    const item = decodePart(text.slice(sharp + 1))
    if (!item) return undefined
    idr.item = item
  }
  return idr
}

/** Writes the one canonical spelling, the one that is hashed; throws `RangeError` on parts that no IDR can hold. */
export function formatIdr(idr: Idr): string {
  const stream = formatStream(idr)
  return idr.item === undefined ? stream : `${stream}#${encodePart(notEmpty(idr.item))}`
}

/** `owner@service` with the owner encoded, or the service alone: the name of a profile and the key of its partition. */
export function formatProfile(stream: Pick<StreamName, 'owner' | 'service'>): string {
  if (!NAME.test(stream.service))
    throw new RangeError('IDR service must be lower-case letters, digits, ".", "_" or "-"')
  return stream.owner === undefined
    ? stream.service
    : profileName({ nativeId: notEmpty(stream.owner), service: stream.service })
}

/** The stable public id: hash of the IDR, `_`, first 9 hex digits of the hash of `owner@service`. */
export function globalId(idr: Idr): string {
  return `${murmur3Hex(formatIdr(idr))}_${partitionOf(idr)}`
}

/** Writes the IDRs of many items of one stream, whose own spelling is worked out once. None needs escaping in JSON. */
export function idrsOf(stream: StreamName): (item: string) => string {
  const prefix = `${formatStream(stream)}#`
  return (item) => prefix + encodePart(notEmpty(item))
}

/** Names many items of one stream: the stream's spelling and its partition are worked out once. */
export function globalIdsOf(stream: StreamName): (item: string) => { idr: string; id: string } {
  const idrOf = idrsOf(stream)
  const suffix = `_${partitionOf(stream)}`
  return (item) => {
    const idr = idrOf(item)
    return { idr, id: murmur3Hex(idr) + suffix }
  }
}

/** First 9 hex digits of the hash of `owner@service`. */
export function partitionOf(stream: Pick<StreamName, 'owner' | 'service'>): string {
  return murmur3Hex(formatProfile(stream)).slice(0, 9)
}

/** Reads `<hash>_<partition>`; `undefined` when the text is no global id. */
export function parseGlobalId(text: string): GlobalId | undefined {
  const [, hash, partition] = GLOBAL_ID.exec(text) ?? []
  return hash === undefined || partition === undefined ? undefined : { hash, partition }
}

function formatStream(stream: StreamName): string {
  if (!NAME.test(stream.type)) throw new RangeError('IDR type must be lower-case letters, digits, ".", "_" or "-"')
  return `${stream.type}:${formatProfile(stream)}/${encodePart(notEmpty(stream.endpoint))}`
}

function notEmpty(part: string): string {
  if (part === '') throw new RangeError('IDR parts must not be empty')
  return part
}
