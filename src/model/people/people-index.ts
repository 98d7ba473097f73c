import { wordsOf } from '../items/words.ts'
import { type ContactIdentity, foldName } from './contact-keys.ts'
import type { PeopleDecision, UserRef } from './decisions.ts'
import { bestName, type DisplayName, displayName } from './display-name.ts'
import { createUserGroups } from './group-contacts.ts'
import { compareJoins, type Join } from './join.ts'
import { sortInSteps } from './sort-in-steps.ts'

/** A contact, as the index reads it. */
export interface IndexedContact extends ContactIdentity, UserRef {
  /** The global id of the contact's item. */
  id: string
  at: number
}

/** A person of an account: the contacts that name them. */
export interface IndexedPerson {
  /** Global ids of the contacts, the oldest first. The first one is the person's id. */
  contacts: string[]
  /** The name, folded: people are listed in this order, and by id where it is equal. */
  sortKey: string
  /** The words of names, handles and e-mail addresses, each after a space. */
  words: string
  /** Why they are one person, the strongest reason first; undefined for a single service user. */
  joined: Join<UserRef>[] | undefined
}

/** The people of an account. It holds ids and words only; all else is read from the items. */
export interface PeopleIndex {
  /** In listing order. */
  people: IndexedPerson[]
  /** The person of each contact, by the contact's global id. */
  byContact: Map<string, IndexedPerson>
}

/** Limit: characters of a name that decide the order of people; names that differ only after them are ordered by id. */
const MAX_SORT_KEY = 60
/** Limit: words of a contact's name, handle and e-mail address by which people are found; further ones are ignored. */
const MAX_CONTACT_WORDS = 20

// After every name.
const WITHOUT_NAME = '\uFFFF'

interface User {
  ref: UserRef
  /** Each after a space. */
  words: string
  contacts: { id: string; at: number; display: DisplayName }[]
}

export interface PeopleIndexBuilder {
  /** How many contacts were added. */
  size(): number
  add(contact: IndexedContact): void
  /** Groups and sorts. Yields between steps, so that the caller can pause. */
  finish(): Generator<undefined, PeopleIndex>
}

export function createPeopleIndex(decisions: readonly PeopleDecision[] = []): PeopleIndexBuilder {
  const groups = createUserGroups()
  const users: User[] = []
  let size = 0

  return {
    size: () => size,
    add: (contact) => {
      size += 1
      const { service, user: id } = contact
      const user = (users[groups.add(contact, contact)] ??= { ref: { service, user: id }, words: '', contacts: [] })
      user.contacts.push({ id: contact.id, at: contact.at, display: displayName(contact) })
      const words = [contact.name, contact.handle, contact.email].flatMap((text) => wordsOf(text ?? ''))
      user.words = withWords(user.words, words.slice(0, MAX_CONTACT_WORDS))
    },
    *finish() {
      const { people: roots, joins } = yield* groups.join(decisions)
      const joinsOf = Map.groupBy(joins, (join) => roots[join.users[0]!]!)
      const members = new Map<number, User[]>()
      for (const [number, root] of roots.entries()) {
        const known = members.get(root)
        if (known === undefined) members.set(root, [users[number]!])
        else known.push(users[number]!)
        yield
      }
      const people: IndexedPerson[] = []
      const byContact = new Map<string, IndexedPerson>()
      for (const [root, group] of members) {
        const person = toPerson(group)
        person.joined = joinsOf
          .get(root)
          ?.map((join) => ({ ...join, users: join.users.map((number) => users[number]!.ref).sort(compareRefs) }))
          .sort(compareJoins)
        people.push(person)
        for (const id of person.contacts) byContact.set(id, person)
        yield
      }
      return { people: yield* sortInSteps(people, comparePeople), byContact }
    },
  }
}

function toPerson(group: readonly User[]): IndexedPerson {
  const contacts = group.flatMap((user) => user.contacts).sort((a, b) => a.at - b.at || compare(a.id, b.id))
  return {
    contacts: contacts.map(({ id }) => id),
    sortKey: foldName(bestName(contacts.map(({ display }) => display))).slice(0, MAX_SORT_KEY) || WITHOUT_NAME,
    words: group.reduce((words, user) => withWords(words, user.words.split(' ').slice(1)), ''),
    joined: undefined,
  }
}

function compareRefs(one: UserRef, other: UserRef): number {
  return compare(one.service, other.service) || compare(one.user, other.user)
}

/** Words that begin with a known one are found by it, and need no place of their own. */
function withWords(known: string, words: readonly string[]): string {
  let all = known
  for (const word of words) if (!all.includes(` ${word}`)) all += ` ${word}`
  return all
}

export function comparePeople(one: PersonPosition, other: PersonPosition): number {
  return compare(one.sortKey, other.sortKey) || compare(one.contacts[0]!, other.contacts[0]!)
}

/** What decides the position of a person in the list. */
export type PersonPosition = Pick<IndexedPerson, 'sortKey' | 'contacts'>

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
