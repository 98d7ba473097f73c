import assert from 'node:assert/strict'
import { TYPE_NAMES } from '#model/items/types.ts'
import type { VendorHarness } from './vendors-fixture.ts'

interface Shown {
  id: string
  idr: string
  at: number
  guid?: string
  copy_of?: string
  map: {
    text?: string
    image?: string
    url?: string
    urls?: string[]
    participants?: Record<string, { author?: true }>
  }
}

/** A repost at X begins with the name of whom it reposts. */
const textOf = ({ map }: Shown) =>
  map.text
    ?.replace(/^RT @\w+: /, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
const serviceOf = ({ idr }: Shown) => /@([\w-]+)\//.exec(idr)![1]!
const userOf = ({ map }: Shown) => Object.entries(map.participants ?? {}).find(([, { author }]) => author)?.[0]
const authorOf = (item: Shown) => `${userOf(item)}@${serviceOf(item)}`
const isOwn = ({ idr }: Shown, item: { map: Shown['map'] }) => {
  const owner = decodeURIComponent(/^\w+:(.+)@/.exec(idr)![1]!)
  return item.map.participants?.[owner]?.author === true
}
const isSamePerson = (one: Shown, other: Shown) =>
  userOf(one) !== undefined && (authorOf(one) === authorOf(other) || (isOwn(one, one) && isOwn(other, other)))

/**
 * What `dedup=true` hides is what an eye calls a copy, judged by what items show and not by their dedupe keys. Returns how many
 * copies there are of each type, and the addresses that posts with several texts link to.
 */
export async function checkCopies(
  { ask }: VendorHarness,
  token: string,
): Promise<{ copies: Record<string, number>; sharedLinks: string[] }> {
  const copies: Record<string, number> = {}
  const linkedBy = new Map<string, Set<string>>()
  const all = 'limit=100000&until=4102444800000&map=true'
  for (const type of TYPE_NAMES) {
    const items = (await ask('GET', `/types/${type}?${all}&copy_of=true`, token)) as Shown[]
    const kept = (await ask('GET', `/types/${type}?${all}&dedup=true`, token)) as Shown[]
    const known = new Map(items.map((item) => [item.id, item]))
    const found = items.filter(({ copy_of }) => copy_of !== undefined)
    copies[type] = found.length
    assert.deepEqual(
      kept.map(({ id }) => id),
      items.flatMap(({ id, copy_of }) => (copy_of === undefined ? [id] : [])),
      type,
    )
    for (const copy of found) {
      const original = known.get(copy.copy_of!)!
      const what = `${copy.idr} of ${original.idr}`
      assert.ok(original.at < copy.at || (original.at === copy.at && original.id < copy.id), what)
      const isAlike =
        (textOf(copy) ?? '') === (textOf(original) ?? '') ||
        (copy.map.image !== undefined && copy.map.image === original.map.image)
      const isCrossPost = copy.at - original.at <= 86_400_000 && isSamePerson(copy, original)
      assert.ok(isAlike || isCrossPost, `differs in text and picture, by another person or later: ${what}`)
      if (!isAlike) assert.ok((copy.map.urls ?? []).length > 0, `links to nothing: ${what}`)
    }
    for (const item of type === 'all_feed' ? items : [])
      for (const link of (item.guid ?? '').split(' ').filter((dedupeKey) => dedupeKey.startsWith('link:')))
        linkedBy.set(link, (linkedBy.get(link) ?? new Set()).add(textOf(item) ?? ''))
  }
  const sharedLinks = [...linkedBy].filter(([, texts]) => texts.size > 2).map(([link]) => link.replace('link:', ''))
  return { copies, sharedLinks }
}
