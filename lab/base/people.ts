/** A person known to all lab services. Each service assigns its own native id. */
export interface Person {
  id: string
  username: string
  password: string
  name: string
  email?: string
  bio: string
  city: string
  lat: number
  lng: number
  timezone: string
  /** Roughly how many items of each kind the person has; 0 for someone who has just joined. */
  activity: number
}

type DemoPerson = Omit<Person, 'id' | 'password'>

const demoPeople: DemoPerson[] = [
  {
    username: 'ada',
    name: 'Ada Marlowe',
    email: 'ada@people.test',
    bio: 'Bridges, bread and bad puns.',
    city: 'Lisbon',
    lat: 38.7223,
    lng: -9.1393,
    timezone: 'Europe/Lisbon',
    activity: 320,
  },
  {
    username: 'ben',
    name: 'Ben Okafor',
    email: 'ben+mail@people.test',
    bio: 'Runs before sunrise. Naps after.',
    city: 'Nairobi',
    lat: -1.2864,
    lng: 36.8172,
    timezone: 'Africa/Nairobi',
    activity: 240,
  },
  {
    username: 'chloe',
    name: 'Chloé Dubois-Nguyễn',
    email: 'chloe@people.test',
    bio: 'Pâtisserie & synthesizers 🎹',
    city: 'Montréal',
    lat: 45.5019,
    lng: -73.5674,
    timezone: 'America/Toronto',
    activity: 260,
  },
  {
    username: 'dmitri',
    name: 'Дмитрий Орлов',
    bio: 'Snow, trains, chess. No e-mail, please.',
    city: 'Suva',
    lat: -18.1248,
    lng: 178.4501,
    timezone: 'Pacific/Fiji',
    activity: 150,
  },
  {
    username: 'esra',
    name: 'Esra 🌻 Yıldız',
    email: 'esra@people.test',
    bio: 'I photograph doors.',
    city: 'İzmir',
    lat: 38.4237,
    lng: 27.1428,
    timezone: 'Europe/Istanbul',
    activity: 400,
  },
  {
    username: 'finn',
    name: 'Finn Novak',
    email: 'finn@people.test',
    bio: '',
    city: 'Oslo',
    lat: 59.9139,
    lng: 10.7522,
    timezone: 'Europe/Oslo',
    activity: 0,
  },
]

export const makePeople = (idOf: (username: string, at: number) => string, maxActivity = Infinity): Person[] =>
  demoPeople.map((member, at) => ({
    ...member,
    id: idOf(member.username, at),
    password: `${member.username}-demo`,
    activity: Math.min(member.activity, maxActivity),
  }))
