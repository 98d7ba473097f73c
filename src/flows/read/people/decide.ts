import type { Account } from '#model/accounts/account.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import type { PeopleDecision, UserRef } from '#model/people/decisions.ts'
import type { Clock } from '#platform/clock.ts'
import { newId } from '#platform/crypto/ids.ts'
import { auditAccount } from '#store/audit.ts'
import { lockAccount } from '#store/identity/accounts.ts'
import { listPeopleDecisions, putPeopleDecision, removePeopleDecisions } from '#store/identity/people-decisions.ts'
import { listReadable } from '#store/identity/readable-profiles.ts'
import { findPerson, type PeopleDeps, toGlobalId } from './people.ts'
import { type PersonView, presentPeople } from './present-people.ts'

export interface DecideDeps extends PeopleDeps {
  clock: Clock
}

/** A decision, as the API shows it. */
export interface DecisionView {
  id: string
  kind: 'join' | 'split'
  decided_at: number
  users: UserRef[]
  others?: UserRef[] | undefined
}

/** A decision, and the people whom it is about as they are now. */
export interface Decided {
  decision: DecisionView
  people: PersonView[]
}

/** Limit (reading): decisions about people of an account, a merge adding those of both; one more is answered with 413. */
const MAX_DECISIONS = 500
/** Limit (reading): service users of the people that one request joins or splits; with more it is answered with 400. */
const MAX_DECIDED_USERS = 64

/** All contacts that these people have now are one person from now on. `ids`: any contact of each. */
export async function joinPeople(
  deps: DecideDeps,
  account: Account,
  ids: readonly string[],
  actor: string,
): Promise<Decided> {
  const people = new Map<string, PersonView>()
  for (const id of ids) {
    const { person } = await findPerson(deps, account, id)
    people.set(person.id, person)
  }
  const users = [...people.values()].flatMap(usersOf).sort(byName)
  if (users.length < 2) throw invalidInput('bad_body', 'people', 'must be of at least two service users.')
  const decision = await decide(deps, account, { kind: 'join', users, others: [] }, actor)
  return { decision, people: await peopleOf(deps, account, [...people.keys()]) }
}

/** These contacts of a person are another person from now on, whom the others are not. */
export async function splitPerson(
  deps: DecideDeps,
  account: Account,
  id: string,
  contacts: readonly string[],
  actor: string,
): Promise<Decided> {
  const { person } = await findPerson(deps, account, id)
  const chosen = new Set(contacts.map(toGlobalId))
  const all = Object.entries(person.services).flatMap(([service, list]) =>
    list.map(({ id: contact, user }) => ({ service, user, contact })),
  )
  const unknown = contacts.find((contact) => !all.some((each) => each.contact === toGlobalId(contact)))
  if (unknown !== undefined)
    throw invalidInput('bad_body', 'contacts', `must be contacts of this person: ${unknown} is not.`)
  const taken = new Set(all.filter(({ contact }) => chosen.has(contact)).map(nameOf))
  const known = usersOf(person).sort(byName)
  const [users, others] = [
    known.filter((ref) => taken.has(nameOf(ref))),
    known.filter((ref) => !taken.has(nameOf(ref))),
  ]
  if (others.length === 0)
    throw invalidInput('bad_body', 'contacts', 'must leave a contact of another service user to this person.')
  const decision = await decide(deps, account, { kind: 'split', users, others }, actor)
  return {
    decision,
    people: await peopleOf(
      deps,
      account,
      all.map(({ contact }) => contact),
    ),
  }
}

/** The oldest first. */
export async function listDecisions(
  { database }: Pick<DecideDeps, 'database'>,
  account: Account,
): Promise<DecisionView[]> {
  return (await listPeopleDecisions(database, account)).map(toView)
}

/** From now on only what contacts say, and the other decisions, count. */
export async function undoDecision(deps: DecideDeps, account: Account, id: string, actor: string): Promise<void> {
  await deps.database.transaction(async (tx) => {
    const locked = await lockAccount(tx, account.shard, account.id)
    if (locked === undefined) throw new ApiError('token_invalid')
    const known = await listPeopleDecisions(tx, locked)
    if (!known.some((decision) => decision.id === id)) throw new ApiError('not_found', `There is no decision ${id}.`)
    await removePeopleDecisions(tx, locked, [id])
    await auditAccount(tx, locked, { at: deps.clock.now(), actor, action: 'people.undo', detail: { decision: id } })
  })
}

/** The same decision replaces the one before, so that a repeated request adds nothing. */
async function decide(
  { database, clock }: DecideDeps,
  account: Account,
  { kind, users, others }: Pick<PeopleDecision, 'kind' | 'users' | 'others'>,
  actor: string,
): Promise<DecisionView> {
  if (users.length + others.length > MAX_DECIDED_USERS)
    throw invalidInput(
      'bad_body',
      kind === 'join' ? 'people' : 'contacts',
      `is about more than ${MAX_DECIDED_USERS} service users.`,
    )
  return database.transaction(async (tx) => {
    const locked = await lockAccount(tx, account.shard, account.id)
    if (locked === undefined) throw new ApiError('token_invalid')
    const known = await listPeopleDecisions(tx, locked)
    const text = textOf({ kind, users, others })
    const replaced = known.filter((each) => textOf(each) === text).map(({ id }) => id)
    if (replaced.length > 0) await removePeopleDecisions(tx, locked, replaced)
    else if (known.length >= MAX_DECISIONS) throw new ApiError('too_many_decisions')
    const now = clock.now()
    // Later than all others, whatever the clock of this process says.
    const decidedAt = Math.max(now, ...known.map((each) => each.decidedAt + 1))
    const decision = { id: newId(now), kind, users, others, decidedAt }
    await putPeopleDecision(tx, locked, decision)
    await auditAccount(tx, locked, { at: now, actor, action: `people.${kind}`, detail: { decision: decision.id } })
    return toView(decision)
  })
}

/** The people of these contacts as they are now, each once. */
async function peopleOf(deps: DecideDeps, account: Account, contacts: readonly string[]): Promise<PersonView[]> {
  const readable = await listReadable(deps.database, account)
  const index = await deps.people.of(account, readable)
  const people = new Set(contacts.map((id) => index.byContact.get(id)).filter((person) => person !== undefined))
  return presentPeople(deps, readable, [...people])
}

function usersOf({ services }: PersonView): UserRef[] {
  const refs = Object.entries(services).flatMap(([service, list]) => list.map(({ user }) => ({ service, user })))
  return [...new Map(refs.map((ref) => [nameOf(ref), ref])).values()]
}

function nameOf({ service, user }: UserRef): string {
  return `${service} ${user}`
}

function byName(a: UserRef, b: UserRef): number {
  return nameOf(a) < nameOf(b) ? -1 : 1
}

function textOf({ kind, users, others }: Pick<PeopleDecision, 'kind' | 'users' | 'others'>): string {
  return JSON.stringify([kind, users.map(nameOf).sort(), others.map(nameOf).sort()])
}

function toView({ id, kind, decidedAt, users, others }: PeopleDecision): DecisionView {
  return { id, kind, decided_at: decidedAt, users, others: kind === 'split' ? others : undefined }
}
