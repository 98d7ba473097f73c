import { profileName } from '../accounts/profile-name.ts'
import { decodePart, encodePart } from '../input/percent-encoding.ts'
import { murmur3Hex } from './murmur3.ts'

/** A stream: everything of one type that one endpoint returns for one service user. Parts are not percent-encoded. */
export interface StreamName {
  type: string
  /** Native id of the service user; absent for a stream without an owner. */
  owner?: string
  service: string
  endpoint: string
}

/** A parsed `type:[owner@]service/endpoint[#item]`. Parts are not percent-encoded. */
export interface Idr extends StreamName {
  /** Native id of the item; absent when the IDR names a whole stream. */
  item?: string
}

/** A parsed global id: the hash of the IDR and the partition of its owner. */
export interface GlobalId {
  hash: string
  partition: string
}

const NAME = /^[a-z0-9][a-z0-9._-]*$/
const GLOBAL_ID = /^([0-9a-f]{32})_([0-9a-f]{9})$/

/** Parses an IDR in any accepted spelling; `undefined` when the text is not an IDR. */
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

/** Writes the canonical spelling, which is the one that is hashed; throws `RangeError` on parts that an IDR cannot contain. */
export function formatIdr(idr: Idr): string {
  const stream = formatStream(idr)
  return idr.item === undefined ? stream : `${stream}#${encodePart(notEmpty(idr.item))}`
}

/** Writes `owner@service` with the owner encoded, or the service alone: the name of a profile and the key of its partition. */
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

/** Returns a function that writes the IDRs of one stream's items; the prefix is computed once. IDRs need no escaping in JSON. */
export function idrsOf(stream: StreamName): (item: string) => string {
  const prefix = `${formatStream(stream)}#`
  return (item) => prefix + encodePart(notEmpty(item))
}

/** Returns a function that computes IDR and global id of one stream's items; prefix and partition are computed once. */
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

/** Parses `<hash>_<partition>`; `undefined` when the text is not a global id. */
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
