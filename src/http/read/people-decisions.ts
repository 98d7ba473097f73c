import { z } from 'zod'
import { joinPeople, listDecisions, splitPerson, undoDecision } from '#flows/read/people/decide.ts'
import { text } from '../request/parameters.ts'
import { route } from '../server/route.ts'
import { deleted } from '../shapes/deleted.ts'
import { peopleDecision, person } from '../shapes/people.ts'

/** Limit: people or contacts that one request to join or split names; more are answered with 400. */
const MAX_NAMED = 64
/** Limit: characters of the id or IDR of a contact; a longer one is answered with 400. */
const MAX_CONTACT_ID = 2000

const contact = z.string().min(1).max(MAX_CONTACT_ID)
const decided = z.object({
  decision: peopleDecision,
  people: z.array(person).describe('Those whom the decision is about, as they are now.'),
})

export const join = route({
  auth: 'account',
  idempotencyKey: true,
  summary: 'Join people: all their contacts are one person from now on, whatever they say',
  body: z.object({
    people: z
      .array(contact)
      .min(2)
      .max(MAX_NAMED)
      .describe('For each person the global id or IDR of any of their contacts.'),
  }),
  response: decided,
  reasons: ['not_found', 'too_many_contacts', 'too_many_decisions'],
  run: (deps, { body, account, actor }) => joinPeople(deps, account, body.people, actor),
})

export const split = route({
  auth: 'account',
  idempotencyKey: true,
  summary: 'Split a person: the given contacts are another person from now on, whatever they say',
  path: z.object({ id: text('The global id or URL-encoded IDR of any of the person’s contacts.') }),
  body: z.object({
    contacts: z.array(contact).min(1).max(MAX_NAMED).describe('Global ids or IDRs of contacts of this person.'),
  }),
  response: decided,
  reasons: ['not_found', 'too_many_contacts', 'too_many_decisions'],
  run: (deps, { path, body, account, actor }) => splitPerson(deps, account, path.id, body.contacts, actor),
})

export const list = route({
  auth: 'account',
  summary: 'List the decisions about people of the account, the oldest first',
  response: z.array(peopleDecision),
  run: (deps, { account }) => listDecisions(deps, account),
})

export const undo = route({
  auth: 'account',
  summary: 'Undo a decision about people: what contacts say counts again',
  path: z.object({ id: text('From the list, or from the response to the request.') }),
  response: deleted,
  reasons: ['not_found'],
  run: async (deps, { path, account, actor }) => {
    await undoDecision(deps, account, path.id, actor)
    return { deleted: path.id }
  },
})
