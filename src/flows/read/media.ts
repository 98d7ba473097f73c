import { mapOf } from '#kit/connector/item-map.ts'
import { endpointOf } from '#kit/connector/own-items.ts'
import type { Registry } from '#kit/connector/registry.ts'
import { isSelfEndpoint, selfMapOrNone } from '#kit/connector/self-map.ts'
import type { ProfileRef } from '#model/accounts/account.ts'
import { ApiError } from '#model/errors.ts'
import type { FoundItem } from '#store/items/query.ts'
import { parseStored } from '#upstream/body/lossless-json.ts'
import type { PresentDeps } from './present.ts'

/** The web address of an item's media: the file itself, else its picture, else what its card shows. */
export function mediaAddress({ registry }: PresentDeps, readable: readonly ProfileRef[], item: FoundItem): string {
  const { service, owner } = readable.find(({ profileId }) => profileId === item.profileId)!
  const map = mapOfItem(registry, { service, owner }, item)
  const card = JSON.parse(item.oembed) as Record<string, unknown>
  for (const value of [map['media'], map['image'], map['photo'], card['thumbnail_url']]) {
    const address = webAddress(value)
    if (address !== undefined) return address
  }
  throw new ApiError('no_media')
}

/** Faults of readers are recorded when the record is synced. */
function mapOfItem(
  registry: Registry,
  { service, owner }: { service: string; owner: string },
  { endpoint: name, data }: FoundItem,
): Record<string, unknown> {
  if (isSelfEndpoint(service, name)) return selfMapOrNone(registry, service, owner, parseStored(data))
  const endpoint = endpointOf(registry, service, name)
  return endpoint === undefined ? {} : mapOf(endpoint, parseStored(data), owner)
}

/** Limit: characters of the address of an item's media, because headers are limited; an item with a longer one has no media. */
const MAX_ADDRESS = 8000

/** Records come from outside: other schemes, and a name and password in the address, are not followed. */
function webAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_ADDRESS || !URL.canParse(value)) return undefined
  const { protocol, username, password, href } = new URL(value)
  const isWeb = (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
  return isWeb && href.length <= MAX_ADDRESS ? href : undefined
}
