import type { Item } from '@tributary-hub/client/generated/api.ts'

export const serviceOf = ({ idr }: Pick<Item, 'idr'>): string => /@([^@/]+)\//.exec(idr)?.[1] ?? ''
export const endpointOf = ({ idr }: Pick<Item, 'idr'>): string => /@[^@/]+\/([^#]+)/.exec(idr)?.[1] ?? ''

/** What an item is called, in a line. */
export function titleOf({ oembed = {} }: Pick<Item, 'oembed'>): string {
  const { title, text, description, type } = oembed
  return firstLine(title ?? text ?? description) ?? (type === 'photo' ? 'Photo' : (type ?? 'Item'))
}

/** Its text, where that is more than the title. */
export function textOf({ oembed = {} }: Pick<Item, 'oembed'>): string | undefined {
  const text = oembed.text ?? oembed.description
  return text === undefined || text === '' || text === oembed.title ? undefined : text
}

function firstLine(text: string | undefined): string | undefined {
  const line = text?.split('\n').find((each) => each.trim() !== '')
  return line === undefined ? undefined : line.length > 90 ? `${line.slice(0, 88)}…` : line
}

/** The figures of an activity: distance, time, heart rate. */
export function figuresOf({ map }: Pick<Item, 'map'>): string | undefined {
  const { meters, seconds, heart_rate: heartRate } = (map ?? {}) as Record<string, number | null | undefined>
  const isKnown = (value: number | null | undefined): value is number => value !== undefined && value !== null
  const figures = [
    ...(!isKnown(meters) || meters === 0 ? [] : [`${(meters / 1000).toFixed(1)} km`]),
    ...(!isKnown(seconds) ? [] : [`${Math.round(seconds / 60)} min`]),
    ...(!isKnown(heartRate) ? [] : [`${Math.round(heartRate)} bpm`]),
  ]
  return figures.length === 0 ? undefined : figures.join(' · ')
}

const KINDS: Record<string, string> = {
  photo: 'Photo',
  video: 'Video',
  text: 'Post',
  link: 'Link',
  checkin: 'Check-in',
  contact: 'Person',
  activity: 'Activity',
  measure: 'Measure',
  message: 'Message',
}
export const kindOf = ({ oembed }: Pick<Item, 'oembed'>): string => KINDS[oembed?.type ?? ''] ?? 'Item'

/** Seconds of sleep are not what a person reads. */
export function measureOf({ oembed }: Pick<Item, 'oembed'>): string | undefined {
  const seconds = /^(\d+) s$/.exec(oembed?.description ?? '')?.[1]
  if (seconds === undefined) return oembed?.description?.replace(' count', '')
  return `${Math.floor(Number(seconds) / 3600)} h ${Math.round((Number(seconds) % 3600) / 60)} min`
}
