import { ASKED } from './asked.ts'
import type { Random } from './random.ts'

/** Twelve scripts, emoji, accents, and what breaks naive tokenizers. */
const TEXTS = [
  'The quick brown fox and the lazy dog',
  'Crème brûlée à la façon de Zoë, naïve déjà vu',
  'Тихий вечер, снег и горячий чай',
  'Καλημέρα κόσμε από την Αθήνα',
  'مساء الخير من المطار الكبير',
  'שלום עולם מירושלים העתיקה',
  'नमस्ते दुनिया यह हिन्दी है',
  '東京の夜は静かです',
  '今天天气很好我们去公园',
  '안녕하세요 세계 여러분',
  'สวัสดีชาวโลกทุกคน',
  'გამარჯობა მსოფლიო თბილისიდან',
  'Բարեւ աշխարհ Երեւանից',
  'வணக்கம் உலகம் சென்னை',
  'Morning run 🏃🏽 done 🎉 and coffee',
  'Line one\nline two\tline three',
  'Semi-detached e-mail, well: 3 of 14; version 2026',
  'ALLCAPS and lowercase and MixedCase',
  ...(ASKED.symbols ? ['Written in C++ and C# on .NET by c', 'a plain C program', 'C++ again, also c++'] : []),
]
const PLACES = [
  [90, 0],
  [90, 123.4],
  [-90, 45],
  [89.999, -170],
  [0, 180],
  [0, -180],
  [0.01, 179.99],
  [-0.02, -179.98],
  [38.7146, -9.1607],
  [35.7148, 139.7732],
  [0, 0],
] as const
const TIMES = [
  0, -1, 1, -62_135_596_800_000, -2_208_988_800_000, 1_700_000_000_000, 1_700_000_000_000, 1_700_000_000_000,
  1_700_000_000_001, 1_780_000_000_000, 4_102_444_800_000, 253_402_300_799_999,
]
const OWN_TYPES = [
  'photos',
  'videos',
  'statuses',
  'news',
  'checkins',
  'events',
  'messages',
  'files',
  'tracks',
  'activities',
  'measures',
  'contacts',
]
const PEOPLE = Array.from({ length: 24 }, (_, n) => (n % 3 === 0 ? `9007199254740${n}` : `friend ${n}@home`))

/** An own item as an app sends it. */
export interface Sent {
  id: string | number
  at: number
  [field: string]: unknown
}

/** Items that are hard to read: ties, edges of time and of the earth, scripts, many participants, shared dedupe keys. */
export function hostileItems(random: Random, count: number): Sent[] {
  return Array.from({ length: count }, (_, n) => {
    const item: Sent = { id: n % 5 === 0 ? n : `item ${n}/ä#?&${n}`, at: random.pick(TIMES) }
    const sometimes = (share: number, fields: () => Record<string, unknown>) => {
      if (random.chance(share)) Object.assign(item, fields())
    }
    sometimes(0.9, () => ({ type: OWN_TYPES[n % OWN_TYPES.length] }))
    for (const field of ['title', 'name', 'text', 'description', 'handle'])
      sometimes(0.5, () => ({ [field]: random.pick(TEXTS) }))
    sometimes(0.4, () => ({ email: `person.${n % 7}@mail${n % 3}.example` }))
    sometimes(0.5, () => ({ url: `https://site${n % 4}.example/path/Page${n % 9}?q=${n % 5}` }))
    sometimes(0.4, () => {
      const [lat, lng] = random.pick(PLACES)
      return { lat, lng }
    })
    sometimes(0.4, () => ({ author: random.pick(PEOPLE) }))
    sometimes(0.5, () => ({ participants: Array.from({ length: random.below(21) }, () => random.pick(PEOPLE)) }))
    sometimes(0.2, () => ({ guid: ['one', 'two', 'three'].slice(random.below(3)) }))
    sometimes(0.5, () => ({
      deep: { e: random.pick([0, false, '', null, [], {}, 1.5]), list: [{ a: 1 }, {}, { a: null }, { b: [{ c: 0 }] }] },
    }))
    return item
  })
}
