import assert from 'node:assert/strict'
import type { Reader, ReadingHarness } from '../fixture.ts'
import { contact, type ListedPerson, peopleReader, usersOf } from './people-fixture.ts'

export interface Decision {
  id: string
  kind: string
  decided_at: number
  users: { service: string; user: string }[]
  others?: { service: string; user: string }[]
}
export interface Decided {
  decision: Decision
  people: ListedPerson[]
}

export const APART = [['library l1', 'museum m1'], ['library l2']]
export const TOGETHER = [['library l1', 'library l2', 'museum m1']]

/** The groups of users, in any order, so that they can be compared. */
export const sortedUsers = (list: readonly ListedPerson[]) =>
  list.map((each) => usersOf(each).sort()).sort((a, b) => (a.join() < b.join() ? -1 : 1))

/** Decides about people of a running service. */
export function peopleDecider(harness: ReadingHarness) {
  const page = peopleReader(harness)
  const post = (reader: Pick<Reader, 'token'>, path: string, body: unknown) =>
    harness.request(path, reader, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const decided = async (reader: Pick<Reader, 'token'>, path: string, body: unknown) => {
    const { status, text, body: found } = await post(reader, path, body)
    assert.equal(status, 200, text)
    return found as Decided
  }
  const joinPeople = (reader: Reader, ...people: string[]) => decided(reader, '/people/join', { people })
  const split = (reader: Reader, id: string, ...contacts: string[]) =>
    decided(reader, `/people/${id}/split`, { contacts })
  const undo = (reader: Reader, id: string) => harness.request(`/people/decisions/${id}`, reader, { method: 'DELETE' })
  const decisions = async (reader: Reader) => (await page.get('/people/decisions', reader)).body as Decision[]
  const rows = ({ account }: Reader) =>
    harness.tributary.sql<{ account_id: string }>('select account_id from people_decision where account_id = $1', [
      account.id,
    ])
  const groups = async (reader: Reader) => sortedUsers(await page.people(reader, 'limit=500'))
  /** The ids of contacts, by service and user. */
  const contactsOf = async (reader: Reader) =>
    Object.fromEntries(
      (await page.people(reader, 'limit=500')).flatMap(({ services }) =>
        Object.entries(services).flatMap(([service, list]) => list.map(({ user, id }) => [`${service} ${user}`, id])),
      ),
    ) as Record<string, string>

  /** Two users of one service with other names, and one of another service who is the first of them. */
  const setUp = async () => {
    const reader = await harness.newReader()
    const library = await harness.newProfile(reader, 'library', 'ada')
    const museum = await harness.newProfile(reader, 'museum', 'ada')
    await harness.put(library, [
      contact('l1', { at: 1, name: 'Ann Lee', email: 'ann@mail.test' }),
      contact('l2', { at: 3, name: 'Bea Fox' }),
    ])
    await harness.put(museum, [contact('m1', { at: 2, name: 'A. Lee', email: 'ann@mail.test' })])
    return { reader, library, museum, id: await contactsOf(reader) }
  }
  return { page, post, joinPeople, split, undo, decisions, rows, groups, contactsOf, setUp }
}
