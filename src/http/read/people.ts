import { z } from 'zod'
import { findPerson, itemsOfPerson, listPeople } from '#flows/read/people/people.ts'
import { showPerson } from '#flows/read/people/show-person.ts'
import { flag } from '#model/input/input.ts'
import { toQuery } from '#model/item-filter/read.ts'
import { itemQuery, servicesQuery } from '#model/item-filter/schema.ts'
import { TYPE_NAMES } from '#model/items/types.ts'
import { PAGED, SUNSET } from '../describe/description/other-responses.ts'
import { text } from '../request/parameters.ts'
import { addLink, dataRoute } from '../server/data-route.ts'
import { typedItemList } from '../shapes/items.ts'
import { person as knownPerson, personDetail } from '../shapes/people.ts'
import { peopleCursor, writeCursor } from './people-cursor.ts'
import { addressWith, sendItems } from './send-items.ts'

/** Limit (reading): people on one page of `/people`; a larger `limit` is answered with 400. */
const MAX_PEOPLE = 500
/** Limit: items sent with a person at `/people/:id`; a larger `limit` is answered with 400. */
const MAX_PERSON_ITEMS = 100
const DEFAULT_PEOPLE = 20
/** Limit: characters of a search for people; more is answered with 400. */
const MAX_PEOPLE_SEARCH = 300
const REPLACED = ['cursor']

const limitUpTo = (max: number, meaning: string) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number up to ${max}`)
    .transform(Number)
    .refine((limit) => limit <= max, `must be at most ${max}`)
    .default(DEFAULT_PEOPLE)
    .describe(meaning)

const person = z.object({ id: text('The global id or URL-encoded IDR of any of the person’s contacts.') })

export const list = dataRoute({
  summary: 'List people: the contacts of all services, grouped by who they are',
  query: z.object({
    limit: limitUpTo(MAX_PEOPLE, `Maximum number of people, up to ${MAX_PEOPLE}.`),
    cursor: peopleCursor,
    q: z
      .string()
      .max(MAX_PEOPLE_SEARCH)
      .optional()
      .describe('Beginnings of words of the name, handle or e-mail address.'),
    ...servicesQuery,
    count: flag('Add the header `X-Total-Count`.'),
  }),
  reasons: ['too_many_contacts'],
  response: z.array(knownPerson),
  headers: ['Link', 'X-Total-Count', ...SUNSET],
  run: async (deps, { query: { services, cursor, ...query }, account, request, reply }) => {
    const { people, next, total } = await listPeople(deps, account, { ...query, after: cursor }, services)
    if (total !== undefined) reply.header('x-total-count', total)
    if (next !== undefined)
      addLink(reply, `<${addressWith(deps, request, REPLACED, `cursor=${writeCursor(next)}`)}>; rel="next"`)
    return people
  },
})

export const show = dataRoute({
  summary: 'Get a person, with the newest items in which they appear',
  path: person,
  query: z.object({
    limit: limitUpTo(MAX_PERSON_ITEMS, `Maximum number of items, up to ${MAX_PERSON_ITEMS}.`),
  }),
  reasons: ['not_found', 'too_many_contacts'],
  response: personDetail,
  headers: ['Link', ...SUNSET],
  run: async (deps, { path: given, query, account, request, reply }) => {
    const newest = { ...toQuery(itemQuery.parse({}), deps.clock.now()), limit: query.limit }
    const { text: shown, id, next } = await showPerson(deps, account, given.id, newest)
    if (next !== undefined) {
      const before = `before=${next.at}_${next.id}&until=${newest.until}`
      const path = `/people/${id}/items`
      addLink(reply, `<${addressWith(deps, request, ['limit'], before, path)}>; rel="next"`)
    }
    return reply.type('application/json; charset=utf-8').send(shown)
  },
})

export const items = dataRoute({
  summary: 'List the items in which a person appears, as author or participant',
  path: person,
  query: itemQuery.extend({
    ...servicesQuery,
    type: z.enum(TYPE_NAMES).optional().describe('Only items of this type.'),
  }),
  reasons: ['not_found', 'too_many_contacts'],
  response: typedItemList,
  headers: [...PAGED],
  run: async (deps, { path, query, account, ...exchange }) => {
    const found = await findPerson(deps, account, path.id)
    const { scope, narrow } = itemsOfPerson(deps, account, found, query)
    return sendItems(deps, exchange, scope, narrow(toQuery(query, deps.clock.now())), { ...query, oembed: true })
  },
})
