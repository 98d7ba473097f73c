import type { Thing } from '../thing.ts'

/** A contact of which it is known who they are. */
export interface KnownContact {
  service: 'library' | 'museum' | 'self'
  /** The native id of the service user. */
  user: string
  /** The number of the human. */
  human: number
  record: Pick<Thing, 'name' | 'handle' | 'email' | 'url'>
}

const SERVICES = ['library', 'museum', 'self'] as const
const GIVEN =
  `Hans Greta Anna Anne Paul Paula Jan Jana Max Maria Peter Petra Julia Julian Daniel Daniela Robert Laura Thomas Sofia
  Ahmed Fatima Omar Leila Pierre Chloe Luis Carmen Marco Giulia Erik Ingrid Nils Astrid Tom Emma Liam Olivia Noah Mia Jonas Lea
  Felix Nora Oscar Ella Hugo Alice Victor Clara Simon Eva Adam Ines Bruno Marta Henrik Freya Samuel Judith Gabriel Ruth Elias
  Vera Anton Klara Emil Ida Karl Rosa Otto Selma Matteo Bianca Diego Lucia Andre Ines Kofi Ama Chen Mei`.split(/\s+/)
const FAMILY_BEGINS =
  'Bar Ber Bra Dal Dor Fal Fen Gar Gol Hal Her Kar Kel Lan Lor Mar Mel Nor Pal Per Ras Rol Sal Ser Tal Tor Val Ver'
const FAMILY_ENDS =
  'bach beck berg dahl den dini feld garth ger holm iani ini ley mann moor nes ova quist rado ri ros son stad to'
const NICKNAMES: Record<string, string> = { Robert: 'Bob', Thomas: 'Tom', Peter: 'Pete', Maria: 'Mia', Daniel: 'Danny' }
/** One name, as services in different languages write it. */
const SPELLINGS = [
  ['Иван Петров', 'Ivan Petrov', 'Iwan Petrow'],
  ['Сергей Иванов', 'Sergey Ivanov', 'Sergei Iwanow'],
  ['Юлия Орлова', 'Yulia Orlova', 'Julia Orlowa'],
  ['Jürgen Müller', 'Juergen Mueller', 'Jurgen Muller'],
  ['Søren Kjær', 'Soeren Kjaer', 'Soren Kjær'],
  ['田中 太郎', 'Tanaka Taro', 'Taro Tanaka'],
  ['Γιώργος Νικολάου', 'Giorgos Nikolaou', 'Yiorgos Nikolaou'],
  ['Łukasz Wójcik', 'Lukasz Wojcik', 'Lukasz Wojcik'],
] as const

/** Numbers from 0 to 1, the same ones for a seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * The contacts of one account whose truth is known: people with their own addresses, families with one mailbox, clubs and companies with
 * shared mailboxes and sites, people of the same name, changed handles and family names, nicknames, other scripts, links of one
 * site that differ in their fragment or in case, and several users of one human at a service.
 */
export function knownContacts(seed: number, humans: number): KnownContact[] {
  const random = randomFrom(seed)
  const chance = (share: number) => random() < share
  const pick = <Each>(list: readonly Each[]): Each => list[Math.floor(random() * list.length)]!
  const word = () => Math.floor(random() * 36 ** 6).toString(36)
  const family = () => pick(FAMILY_BEGINS.split(' ')) + pick(FAMILY_ENDS.split(' '))
  const plain = (name: string) =>
    name
      .normalize('NFKD')
      .replaceAll(/[^a-zA-Z]/g, '')
      .toLowerCase()

  interface Human {
    names: readonly string[]
    handle: string
    mailboxes: string[]
    pages: string[]
  }
  const known: KnownContact[] = []
  const handles = new Map<string, number>()
  const taken = new Set<string>()
  const listed = { humans: 0 }

  /** A service gives a handle to one user only. */
  const atService = (service: string, found: KnownContact['record'], number: number): KnownContact['record'] => {
    if (found.handle === undefined || found.handle === '' || service === 'self') return found
    const owner = handles.get(`${service} ${found.handle}`) ?? number
    handles.set(`${service} ${found.handle}`, owner)
    return owner === number ? found : { ...found, handle: `${found.handle}_${word()}` }
  }

  const human = (given: string, familyName: string, more: Partial<Human> = {}): Human => {
    const name = `${given} ${familyName}`
    // Who is the first to take the handle of their name has it nearly everywhere.
    const isFree = !taken.has(name) || chance(0.1)
    const handle = isFree && chance(0.2) ? plain(name) : `${plain(given)}${word().slice(0, 4)}`
    taken.add(name)
    const own = chance(0.8) ? [`${plain(name) || 'm'}.${word().slice(0, 3)}@mail.test`] : []
    if (chance(0.25)) own.push(`${plain(given)}.${word().slice(0, 4)}@work${Math.floor(random() * 40)}.test`)
    const pages = chance(0.3)
      ? [
          pick([
            `https://pages.test/~${handle}.${word()}`,
            `https://matrix.test/#/@${handle}.${word()}:x`,
            `https://short.test/${word()}`,
          ]),
        ]
      : []
    return { names: [name], handle, mailboxes: own, pages, ...more }
  }

  /** Lists a human at some services, each time as they appear there. */
  const list = (one: Human, services: readonly KnownContact['service'][] = SERVICES.filter(() => chance(0.6))) => {
    const number = listed.humans
    listed.humans += 1
    for (const service of services) {
      const times = service === 'self' && chance(0.06) ? 2 : 1
      for (let i = 0; i < times; i += 1)
        known.push({
          service,
          user: `u${word()}${known.length}`,
          human: number,
          record: atService(service, record(one), number),
        })
    }
  }
  const record = (one: Human): KnownContact['record'] => ({
    ...(chance(0.98) ? { name: written(pick(one.names)) } : {}),
    ...(chance(0.6) ? { handle: chance(0.2) ? `${one.handle}_${word().slice(0, 2)}` : one.handle } : {}),
    ...(one.mailboxes.length > 0 && chance(0.6) ? { email: caseOf(pick(one.mailboxes)) } : {}),
    ...(one.pages.length > 0 && chance(0.6) ? { url: pick(one.pages) } : {}),
  })
  const caseOf = (email: string) => (chance(0.1) ? email.toUpperCase() : email)
  const written = (name: string): string => {
    const [given = '', familyName = ''] = name.split(' ')
    if (chance(0.78) || name.includes('&')) return name
    return pick([
      `${given[0]}. ${familyName}`,
      `${familyName}, ${given}`,
      `${given} ${pick(GIVEN)[0]}. ${familyName}`,
      `${NICKNAMES[given] ?? given} ${familyName}`,
      given,
      name.toUpperCase(),
    ])
  }

  while (listed.humans < humans) {
    const kind = random()
    if (kind < 0.66) list(human(pick(GIVEN), family()))
    else if (kind < 0.73) {
      // A married name: one of two.
      const given = pick(GIVEN)
      list(human(given, family(), { names: [`${given} ${family()}`, `${given} ${family()}`] }))
    } else if (kind < 0.81) {
      const names = pick(SPELLINGS)
      list({ ...human('m', word()), names, handle: `h${word()}` })
    } else if (kind < 0.86) {
      // A family with one mailbox: most write only there.
      const familyName = family()
      const mailbox = `${plain(familyName)}.${word()}@home.test`
      const site = `https://site.test/${plain(familyName)}${word()}`
      const given = new Set(Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(GIVEN)))
      for (const each of given) {
        const other = chance(0.15) ? family() : familyName
        const own = human(each, other)
        list({ ...own, mailboxes: [...(chance(0.5) ? own.mailboxes : []), mailbox], pages: chance(0.3) ? [site] : [] })
      }
      if (given.size > 1 && chance(0.3))
        list({
          names: [`${[...given].slice(0, 2).join(' & ')} ${familyName}`],
          handle: '',
          mailboxes: [mailbox],
          pages: [],
        })
    } else if (kind < 0.9) {
      // A club or company: a role's mailbox or a shared one, and a site with people below it.
      const host = `club-${word()}.test`
      const mailbox = `${pick(['info', 'office', 'no-reply', 'kontakt', 'choir', 'night.shift'])}@${host}`
      const site = pick([`https://${host}/`, `http://www.${host}`, `https://${host}/team`, `https://${host}/#`])
      for (let i = 2 + Math.floor(random() * 5); i > 0; i -= 1) {
        const own = human(pick(GIVEN), family())
        list({ ...own, mailboxes: [...own.mailboxes, mailbox], pages: [...own.pages, site] })
      }
    } else if (kind < 0.95) {
      // Two of one name. Rarely has each of them the handle of the name, at another service.
      const [given, familyName] = [pick(GIVEN), family()]
      const handle = plain(given + familyName)
      for (let i = 0; i < 2; i += 1)
        list(human(given, familyName, { handle: chance(0.05) ? handle : `${handle}${word()}` }))
    } else {
      // One site tells its people apart by case, or by what follows the hash only.
      const path = word()
      const pages = [`https://short.test/${path}a`, `https://short.test/${path}A`]
      for (const page of chance(0.5) ? pages : [`https://app.test/#/${path}/1`, `https://app.test/#/${path}/2`])
        list(human(pick(GIVEN), family(), { pages: [page] }))
    }
  }
  return known
}

export interface Measured {
  /** Pairs of service users that are one human. */
  pairs: number
  /** Those of them that share an e-mail address, a link, or handle and name, as written. */
  sharing: number
  /** Those of these that are one person. */
  found: number
  /** Pairs that are one person. */
  joined: number
  wrong: (readonly [KnownContact, KnownContact])[]
}

/** Compares all pairs of service users that are one person with those that are one human. */
export function measure(known: readonly KnownContact[], people: readonly (readonly string[])[]): Measured {
  const byUser = new Map(known.map((each) => [`${each.service} ${each.user}`, each]))
  const pairsOf = <Each>(list: readonly Each[]) => list.flatMap((a, i) => list.slice(0, i).map((b) => [b, a] as const))
  const joined = people.flatMap((users) => pairsOf([...new Set(users)].map((user) => byUser.get(user)!)))
  const wrong = joined.filter(([a, b]) => a.human !== b.human)
  const truth = [...Map.groupBy(known, ({ human }) => human).values()].flatMap(pairsOf)
  const share = (a: KnownContact['record'], b: KnownContact['record']) =>
    (a.email !== undefined && a.email.toLowerCase() === b.email?.toLowerCase()) ||
    (a.url !== undefined && a.url === b.url) ||
    (a.handle !== undefined && a.handle === b.handle && a.name !== undefined && a.name === b.name)
  const sharing = (pairs: readonly (readonly [KnownContact, KnownContact])[]) =>
    pairs.filter(([a, b]) => a.human === b.human && share(a.record, b.record)).length
  return { pairs: truth.length, sharing: sharing(truth), found: sharing(joined), joined: joined.length, wrong }
}
