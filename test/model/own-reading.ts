import type { Place } from './distance.ts'
import type { Known } from './known-item.ts'

/** What an item of a service that the model understands by itself says. */
export interface Said {
  author: string | undefined
  others: string[]
  place: Place | undefined
}

type Reader = (data: Fields, item: Pick<Known, 'owner' | 'endpoint'>) => Said
interface Fields {
  [field: string]: unknown
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const idsOf = (value: unknown): string[] => list(value).flatMap((one) => text(fields(one)['id']) ?? [])
const idStrings = (value: unknown): string[] => list(value).flatMap((one) => text(fields(one)['id_str']) ?? [])
function pointOf(value: unknown): Place | undefined {
  const { lat, lng } = fields(value)
  return typeof lat === 'number' && typeof lng === 'number' ? [lat, lng] : undefined
}

/** Written from what docs/api.md says of own items and from the records of the demo services, not from connectors. */
export const READERS: Record<string, Reader> = {
  self: (data, { owner }) => ({
    author: text(data['author']) ?? owner,
    others: [data['participants']].flat().flatMap((one) => text(one) ?? []),
    place: pointOf(data),
  }),
  'demo-social': (data) => ({
    author: text(fields(data['author'])['id']),
    others: [
      ...idsOf(data['tagged']),
      ...idsOf(data['mentions']),
      ...list(fields(data['comments'])['data']).flatMap((one) => idsOf([fields(one)['author']])),
      ...idsOf(fields(data['likes'])['people']),
    ],
    place: pointOf(data['place']),
  }),
  'demo-micro': (data) => {
    const [lng, lat] = list(fields(data['coordinates'])['coordinates'])
    return {
      author: text(fields(data['account'] ?? data['sender'])['id_str']),
      others: [
        ...idStrings(fields(data['entities'])['mentions']),
        ...idStrings([data['recipient'], fields(data['reshare_of'])['account']]),
      ],
      place: pointOf({ lat, lng }),
    }
  },
  'demo-health': (data, { owner, endpoint }) => ({
    author: endpoint === 'activities' ? owner : undefined,
    others: [...idsOf(data['companions']), ...idsOf(data['cheers'])],
    place: pointOf(data['start_point']),
  }),
}
