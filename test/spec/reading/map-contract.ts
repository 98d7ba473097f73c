import assert from 'node:assert/strict'

/** Written anew from docs/api.md: the fields that `map` of an item always has, by the singular name of its type. */
const ALWAYS: Record<string, string[]> = {
  photo: ['author', 'title', 'image'],
  video: ['author', 'title', 'image', 'media'],
  status: ['author', 'text'],
  news: ['author', 'title', 'url'],
  checkin: ['author', 'place', 'll'],
  event: ['author', 'title', 'starts', 'ends', 'place'],
  message: ['author', 'subject', 'text', 'from', 'to'],
  file: ['author', 'title', 'path', 'mime', 'bytes'],
  track: ['author', 'title', 'artist', 'album', 'seconds'],
  activity: ['author', 'sport', 'seconds', 'meters'],
  measure: ['author', 'metric', 'value', 'unit'],
  contact: ['nickname', 'email', 'phone'],
}

export interface Mapped {
  idr: string
  at: number
  types: Record<string, true>
  oembed?: { id?: string }
  map: Record<string, unknown>
}

/** Checks `map` of items as a client would rely on it. Returns the types that occurred. */
export function checkMaps(items: readonly Mapped[]): Set<string> {
  const seen = new Set<string>()
  for (const { idr, at, types, map } of items) {
    const known = Object.keys(types).filter((type) => type in ALWAYS)
    for (const type of known) seen.add(type)
    const always = ['id', 'name', 'at', ...(known.length === 0 ? ['author'] : known.flatMap((type) => ALWAYS[type]!))]
    for (const field of always) assert.notEqual(map[field], undefined, `${idr} map.${field}`)
    assert.ok(typeof map['id'] === 'string' && map['id'] !== '', idr)
    assert.equal(map['at'], at, idr)
    const title = map['title'] ?? map['subject'] ?? null
    if (title !== null) assert.equal(typeof map['name'], 'string', idr)
    const author = (map['author'] ?? null) as { id: unknown } | null
    if (author !== null) assert.ok(author.id === null || typeof author.id === 'string', idr)
    const makers = Object.entries((map['participants'] ?? {}) as Record<string, { author?: true }>)
    if (makers.some(([, { author: isAuthor }]) => isAuthor) && known[0] !== 'contact')
      assert.notEqual(author, null, idr)
    const card = map['oembed'] as Mapped['oembed']
    if ('contact' in types && card?.id !== undefined) assert.equal(map['id'], card.id, idr)
  }
  return seen
}
