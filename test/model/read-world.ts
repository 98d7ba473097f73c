import assert from 'node:assert/strict'
import type { Place } from './distance.ts'
import { parseExactly } from './exact-json.ts'
import { type Card, type Known, listedAt, partsOf, type Shown, TYPES } from './known-item.ts'
import { READERS } from './own-reading.ts'
import { textsOf } from './texts.ts'

const EVERYTHING = 'limit=1000000&since=-8640000000000000&until=8640000000000000'
/** Only the first are indexed, the author first. */
const MAX_PEOPLE = 16

/** Reads `/export`, and the normal form of each item once; from then on, the model answers by itself. */
export async function readWorld(url: string, token: string): Promise<Known[]> {
  const read = async (path: string) => {
    const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })
    const text = await response.text()
    assert.equal(response.status, 200, `${path}: ${text.slice(0, 300)}`)
    return text
  }
  const lines = (await read('/export')).trimEnd().split('\n').slice(1)
  const exported = lines.map((line) => parseExactly(line) as Shown)
  assert.equal(new Set(exported.map(({ id }) => id)).size, exported.length, 'an item is exported twice')
  const cards = await readCards(read)
  const maps = await readMaps(read, exported)
  return exported.map((item) => know(item, maps.get(item.id), cards))
}

type Read = (path: string) => Promise<string>

/** The card of each item for each type at which it is listed. */
async function readCards(read: Read): Promise<Map<string, Map<string, Card>>> {
  const cards = new Map<string, Map<string, Card>>()
  for (const type of TYPES)
    for (const { id, oembed } of parseExactly(await read(`/types/${type}?${EVERYTHING}`)) as Shown[])
      cards.set(id, (cards.get(id) ?? new Map<string, Card>()).set(type, oembed!))
  return cards
}

async function readMaps(read: Read, exported: readonly Shown[]): Promise<Map<string, Record<string, unknown>>> {
  const paths = new Set(
    exported.map(({ idr }) => {
      const { service, owner, endpoint } = partsOf(idr)
      return `/services/${service === 'self' ? 'self' : encodeURIComponent(`${encodeURIComponent(owner)}@${service}`)}/${endpoint}`
    }),
  )
  const maps = new Map<string, Record<string, unknown>>()
  for (const path of paths)
    for (const { id, map } of parseExactly(await read(`${path}?map=true&${EVERYTHING}`)) as Shown[]) maps.set(id, map!)
  return maps
}

function know(item: Shown, map: Record<string, unknown> | undefined, cards: Map<string, Map<string, Card>>): Known {
  const mine = cards.get(item.id) ?? new Map<string, Card>()
  const listed = listedAt(item)
  assert.deepEqual([...mine.keys()].toSorted(), TYPES.filter((type) => listed.includes(type)).toSorted(), item.idr)
  assert.ok(map !== undefined, `${item.idr} is at no endpoint`)
  const { service, owner, endpoint } = partsOf(item.idr)
  const shown = peopleIn(map)
  const place = (map['ll'] ?? undefined) as Place | undefined
  const known = { ...item, service, owner, endpoint, map, listed, cards: mine, ...shown, place, texts: [] }
  const said = READERS[service]?.(item.data, known)
  if (said === undefined) return { ...known, texts: textsOf(known) }
  const people = [...new Set([...(said.author === undefined ? [] : [said.author]), ...said.others])]
  assert.deepEqual(said.place, place, `${item.idr}: place`)
  assert.equal(said.author, shown.author, `${item.idr}: author`)
  if (people.length <= MAX_PEOPLE || service === 'self')
    assert.deepEqual(shown.people.toSorted(), people.slice(0, MAX_PEOPLE).toSorted(), `${item.idr}: participants`)
  else assert.equal(shown.people.filter((id) => people.includes(id)).length, MAX_PEOPLE, `${item.idr}: participants`)
  return { ...known, texts: textsOf(known) }
}

function peopleIn(map: Record<string, unknown>): { people: string[]; author: string | undefined } {
  const participants = (map['participants'] ?? {}) as Record<string, { author?: boolean }>
  const people = Object.keys(participants)
  return { people, author: people.find((id) => participants[id]?.author === true) }
}
