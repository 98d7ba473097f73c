/** Words with a Zipf distribution: few are frequent, most are rare. Three more are inserted with known frequencies. */
const VOCABULARY = Array.from({ length: 20_000 }, (_, i) => `w${i.toString(36)}`)
export const WORDS = { common: 'commonly', mid: 'sometimes', rare: 'hardly' }
/** The author of a tenth of the feed, and the person whom most of these items mention. */
export const PEOPLE = { friend: 'p1', pal: 'p2' }
export const CITY = { lat: 38.72, lng: -9.14 }
const NEWEST_MS = Date.UTC(2026, 9, 1)
const STEP_MS = 600_000

/** Pseudo-random numbers, the same in every run. */
function createChance(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

export type StreamName = 'posts' | 'photos' | 'feed' | 'friends' | 'statuses' | 'timeline'

/** Records of about 1 KB in the format of the two demo services, in a realistic mix. */
export function* makeRecords(total: number): Generator<{ stream: StreamName; record: object }> {
  const chance = createChance(total)
  for (let i = 0; i < total; i += 1) {
    const stream = streamFor(chance())
    const text = makeText(chance, i, total)
    const atMs = NEWEST_MS - i * STEP_MS - Math.floor(chance() * STEP_MS)
    const authored = stream === 'feed' || stream === 'timeline'
    const author = authored ? `p${pick(chance, 400)}` : 'owner'
    const others = Array.from({ length: Math.floor(chance() * 6) }, () => `p${pick(chance, 400)}`)
    const place = chance() < 0.2 ? placeNear(chance) : undefined
    const seed = { id: String(9e15 + i), text, atMs, author, others, place, index: i }
    yield { stream, record: RECORDS[stream](seed) }
  }
}

function streamFor(chance: number): StreamName {
  if (chance < 0.2) return 'posts'
  if (chance < 0.3) return 'photos'
  if (chance < 0.31) return 'friends'
  if (chance < 0.65) return 'feed'
  return chance < 0.75 ? 'statuses' : 'timeline'
}

/** About 25 words. A third of the texts contain the common word, one in a hundred the mid one, ten in total the rare one. */
function makeText(chance: () => number, index: number, total: number): string {
  const words = Array.from(
    { length: 15 + Math.floor(chance() * 20) },
    () => VOCABULARY[Math.floor(VOCABULARY.length ** chance()) - 1]!,
  )
  if (index % 3 === 0) words.push(WORDS.common)
  if (index % 100 === 7) words.push(WORDS.mid)
  if (index % Math.ceil(total / 10) === 5) words.push(WORDS.rare)
  return words.join(' ')
}

// Few people write most of the items.
function pick(chance: () => number, people: number): number {
  return Math.floor(people ** chance())
}

// Fifty towns, ten of them around the first one.
function placeNear(chance: () => number): { lat: number; lng: number } {
  const town = Math.floor(50 * chance() ** 2)
  const spread = () => (chance() - 0.5) * 0.1
  return { lat: CITY.lat + (town % 10) * 0.9 + spread(), lng: CITY.lng + Math.floor(town / 10) * 11 + spread() }
}

interface RecordSeed {
  id: string
  text: string
  atMs: number
  author: string
  others: string[]
  place: { lat: number; lng: number } | undefined
  index: number
}

const PADDING = 'x'.repeat(500)
const person = (id: string) => ({ id, id_str: id, username: id, handle: id, name: `Person ${id}` })

function entry({ id, text, atMs, author, others, place, index }: RecordSeed, type: string): object {
  return {
    id,
    type: index % 5 === 0 && type === 'status' ? 'link' : type,
    author: person(author),
    created_at: new Date(atMs).toISOString(),
    ...(type === 'photo' ? { caption: text } : { text }),
    link: index % 5 === 0 ? { url: `https://example.test/${index}`, title: text.slice(0, 40) } : undefined,
    images: type === 'photo' ? [{ width: 640, height: 480, url: `https://pictures.test/${index}.jpg` }] : undefined,
    place,
    likes: { count: others.length, people: others.map(person) },
    padding: PADDING,
  }
}

function status({ id, text, atMs, author, others, place, index }: RecordSeed): object {
  return {
    id_str: id,
    created_at: new Date(atMs).toUTCString(),
    text,
    account: person(author),
    entities: { urls: [], mentions: others.map(person), hashtags: [] },
    coordinates: place && { type: 'Point', coordinates: [place.lng, place.lat] },
    url: `https://micro.test/${index}`,
    padding: PADDING,
  }
}

const RECORDS: Record<StreamName, (seed: RecordSeed) => object> = {
  posts: (seed) => entry(seed, 'status'),
  photos: (seed) => entry(seed, 'photo'),
  feed: (seed) => entry(seed, seed.index % 7 === 0 ? 'photo' : 'status'),
  friends: ({ id, index }) => ({ ...person(id), name: `Friend ${index}`, url: `https://social.test/${id}` }),
  statuses: status,
  timeline: status,
}
