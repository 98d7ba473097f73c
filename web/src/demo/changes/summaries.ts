import type { Change, Item } from '@tributary-hub/client/generated/api.ts'
import { serviceOf, titleOf } from '../item/item-words.ts'

export interface Happening {
  key: number
  at: number
  sentence: string
  /** Items that can be opened. */
  items: { id: string; title: string }[]
}

/** Limit: items that an entry names. */
const MAX_NAMED = 5

/** One sentence per service. */
export function summaries(changes: readonly Change[]): Omit<Happening, 'key' | 'at'>[] {
  const services = [...new Set(changes.map(serviceIn))]
  return services.map((service) => {
    const list = changes.filter((change) => serviceIn(change) === service)
    const stored = list.flatMap((each) => (each.change === 'upsert' ? [each.item as Pick<Item, 'id' | 'oembed'>] : []))
    const deleted = list.filter((each) => each.change === 'delete').length
    const parts = [
      ...(stored.length === 0 ? [] : [`${stored.length} new or changed`]),
      ...(deleted === 0 ? [] : [`${deleted} deleted`]),
      ...(list.some((each) => each.change === 'profile_removed') ? ['disconnected'] : []),
    ]
    const items = stored.slice(0, MAX_NAMED).map((item) => ({ id: item.id, title: titleOf(item) }))
    return { sentence: `${service}: ${parts.join(', ')}`, items }
  })
}

function serviceIn(change: Change): string {
  if (change.change === 'profile_removed') return change.profile.replace(/^.*@/, '')
  return serviceOf(change.change === 'delete' ? change : (change.item as Pick<Item, 'idr'>))
}
