import {
  type DecideDeps,
  type DecisionView,
  joinPeople,
  listDecisions,
  splitPerson,
  undoDecision,
} from '#flows/read/people/decide.ts'
import { listPeople } from '#flows/read/people/people.ts'
import { createPeopleIndexes } from '#flows/read/people/people-indexes.ts'
import type { PersonView } from '#flows/read/people/present-people.ts'
import { accountById } from '#identity/accounts.ts'
import { command, type ServicesDeps } from '../command.ts'
import { table } from '../output.ts'

const ACTOR = 'cli'
/** Limit: people that `tributary people` prints; where there are more, it says so. */
const MAX_PRINTED = 500

const contacts = {
  type: 'string',
  value: 'CONTACT',
  multiple: true,
  required: true,
} as const

export const people = command({
  name: 'people',
  summary: 'List the people whom an account knows, and why contacts are one person.',
  args: ['ACCOUNT'],
  options: { q: { type: 'string', value: 'WORDS', meaning: 'beginnings of words of name, handle or e-mail address' } },
  run: async ({ args, flags, out, withServices }) => {
    const found = await withServices(async (deps) => {
      const query = { limit: MAX_PRINTED, q: flags.text('q'), after: undefined, count: false }
      return listPeople(withIndexes(deps), await accountById(deps, args[0]), query, undefined)
    })
    out.result({ people: found.people, more: found.next !== undefined }, () => [
      ...tableOf(found.people),
      ...(found.next === undefined ? [] : [`There are more than ${MAX_PRINTED}. Narrow them with --q.`]),
    ])
  },
})

export const join = command({
  name: 'people join',
  summary: 'Make people one: all their contacts, whatever they say.',
  args: ['ACCOUNT'],
  options: { contact: { ...contacts, meaning: 'a contact of each person: id or IDR; repeat it' } },
  run: async ({ args, flags, out, withServices }) => {
    const done = await withServices(async (deps) =>
      joinPeople(withIndexes(deps), await accountById(deps, args[0]), flags.texts('contact'), ACTOR),
    )
    out.result(done, () => [`Decision ${done.decision.id}.`, ...tableOf(done.people)])
  },
})

export const split = command({
  name: 'people split',
  summary: 'Make contacts of a person another person, whatever they say.',
  args: ['ACCOUNT', 'PERSON'],
  options: { contact: { ...contacts, meaning: 'a contact of the other person: id or IDR; repeat it' } },
  run: async ({ args, flags, out, withServices }) => {
    const done = await withServices(async (deps) =>
      splitPerson(withIndexes(deps), await accountById(deps, args[0]), args[1], flags.texts('contact'), ACTOR),
    )
    out.result(done, () => [`Decision ${done.decision.id}.`, ...tableOf(done.people)])
  },
})

export const decisions = command({
  name: 'people decisions',
  summary: 'List what was decided about people of an account.',
  args: ['ACCOUNT'],
  run: async ({ args, out, withServices }) => {
    const list = await withServices(async (deps) => listDecisions(deps, await accountById(deps, args[0])))
    out.result(list, () =>
      table([
        ['decision', 'kind', 'at', 'users', 'not these'],
        ...list.map(({ id, kind, decided_at: at, users, others = [] }) => [
          id,
          kind,
          new Date(at).toISOString(),
          namesOf(users),
          namesOf(others),
        ]),
      ]),
    )
  },
})

export const undo = command({
  name: 'people undo',
  summary: 'Undo a decision about people: what contacts say counts again.',
  args: ['ACCOUNT', 'DECISION'],
  run: async ({ args, out, withServices }) => {
    await withServices(async (deps) =>
      undoDecision(withIndexes(deps), await accountById(deps, args[0]), args[1], ACTOR),
    )
    out.result({ deleted: args[1] }, () => ['Undone.'])
  },
})

function withIndexes(deps: ServicesDeps): DecideDeps {
  return { ...deps, people: createPeopleIndexes(deps) }
}

function tableOf(list: readonly PersonView[]): string[] {
  return table([
    ['id', 'name', 'contacts', 'one person by'],
    ...list.map(({ id, name = '', services, joined }) => [
      id,
      name,
      Object.entries(services)
        .map(([service, all]) => `${service}: ${all.map((contact) => contact.id).join(', ')}`)
        .join('; '),
      joined.map(({ by, value = '' }) => `${by} ${value}`.trim()).join('; '),
    ]),
  ])
}

function namesOf(users: DecisionView['users']): string {
  return users.map(({ service, user }) => `${user}@${service}`).join(', ')
}
