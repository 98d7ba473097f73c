/** Sample text for generated data: plain, accented, right-to-left, wide and emoji. */
export const sentences = [
  'The bakery on the corner has changed hands, and the rolls are better.',
  'Fixed the bicycle with a paper clip and hope.',
  'Morning fog over the river, nobody awake but the gulls.',
  'Finally finished the book. The ending deserved better.',
  'Coffee first, opinions later ☕️',
  'Trains late again, but the light on the platform was worth it 🌅',
  'Crème brûlée, but make it breakfast.',
  'Тихий вечер, снег и чай.',
  '今日は一日中雨でした。',
  'مساء الخير من المطار',
  'Straße gesperrt, Umweg über den Süßwarenladen. Kein Problem.',
  'We adopted a cat. The cat disagrees. 🐈‍⬛',
  'Pushed to main on a Friday. Pray for us. 🙏🏽',
  'Is "a <b>bold</b> move" & other jokes still funny?',
  'New personal record! Legs gone. 🏃🏾‍♀️💨',
  'Found my grandmother’s recipe box. Everything says “until done”.',
  'Looking for a second-hand piano, will trade for soup.',
  'The museum is free on Thursdays, go see the maps.',
  'Ελληνικά στο μετρό, ακούω τα πάντα.',
  'Line one\nLine two\n\nLine four, because structure matters.',
]

export const titles = [
  'How bread rises',
  'A field guide to doors',
  'The quiet return of night trains',
  'Maps that lied',
  'Ten kinds of blue',
  'What the tide leaves',
  'Letters to a slow computer',
  'The case for smaller kitchens',
]

export const comments = [
  'So true!',
  'Where is this?',
  '😂😂😂',
  'Save me a piece',
  'Miss you both',
  '¡Qué bonito!',
  'I have questions.',
  'Same here.',
  '❤️',
  'Next time take me along',
]

export interface Place {
  id: string
  name: string
  city: string
  lat: number
  lng: number
}

/** Ordinary places, and some that break naive distance arithmetic: both sides of the 180° meridian, a pole, 0/0. */
export const places: Place[] = [
  { id: 'pl-1', name: 'Jardim da Estrela', city: 'Lisbon', lat: 38.7146, lng: -9.1607 },
  { id: 'pl-2', name: 'Karura Forest', city: 'Nairobi', lat: -1.2417, lng: 36.8333 },
  { id: 'pl-3', name: 'Marché Jean-Talon', city: 'Montréal', lat: 45.5367, lng: -73.6147 },
  { id: 'pl-4', name: 'Kemeraltı', city: 'İzmir', lat: 38.4189, lng: 27.1287 },
  { id: 'pl-5', name: 'Taveuni, east of the line', city: 'Waiyevo', lat: -16.7817, lng: -179.9931 },
  { id: 'pl-6', name: 'Taveuni, west of the line', city: 'Waiyevo', lat: -16.7817, lng: 179.9931 },
  { id: 'pl-7', name: 'Null Island', city: 'Gulf of Guinea', lat: 0, lng: 0 },
  { id: 'pl-8', name: 'Pole marker', city: 'Amundsen–Scott', lat: -89.9999, lng: 15 },
  { id: 'pl-9', name: 'Vigelandsparken', city: 'Oslo', lat: 59.927, lng: 10.7008 },
  { id: 'pl-10', name: 'Ueno Park', city: '東京', lat: 35.7148, lng: 139.7732 },
]

const givenNames = [
  'Amara',
  'Bao',
  'Carmen',
  'Dov',
  'Elif',
  'Farid',
  'Greta',
  'Hana',
  'Ivo',
  'Jun',
  'Kofi',
  'Lena',
  'Mateo',
  'Noor',
  'Olek',
  'Priya',
  'Quentin',
  'Rosa',
  'Sören',
  'Thandi',
  'Uma',
  'Viggo',
  'Wen',
  'Ximena',
  'Yael',
  'Zoë',
]
const familyNames = [
  'Adeyemi',
  'Brandt',
  'Costa',
  'Duarte',
  'Eriksen',
  'Fontaine',
  'García',
  'Haddad',
  'Ito',
  'Jansen',
  "O'Neill",
  'Köhler',
  'Łukasik',
  'Mbeki',
]

export interface Acquaintance {
  id: string
  username: string
  name: string
}

/** People who appear in the data but cannot log in. */
export function acquaintances(count: number, idOf: (at: number) => string): Acquaintance[] {
  return Array.from({ length: count }, (_, at) => {
    const given = givenNames[at % givenNames.length] ?? 'Ann'
    const family = familyNames[(at * 5) % familyNames.length] ?? 'Lee'
    return {
      id: idOf(at),
      username: `${given
        .toLowerCase()
        .normalize('NFD')
        .replaceAll(/[^a-z]/g, '')}${at}`,
      name: `${given} ${family}`,
    }
  })
}
