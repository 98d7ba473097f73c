import { z } from 'zod'
import { PROFILE_STATES } from '#model/accounts/profile.ts'
import { REASONS_TO_JOIN, STRENGTHS } from '#model/people/join.ts'
import { item } from './items.ts'

export const profileState = z
  .enum(PROFILE_STATES)
  .meta({ id: 'ProfileState', description: '`needs_auth`: the person has to sign in at the service again.' })

const serviceTokens = z
  .object({
    token: z.string().optional(),
    token_secret: z.string().optional(),
    refresh_token: z.string().optional(),
    expires_at: z.number().optional(),
    scope: z.string().optional(),
  })
  .meta({ id: 'ServiceTokens', description: "The service's own tokens; only for a caller with the app's secret." })

const profile = z
  .object({
    id: z.string().describe('The native id of the service user, percent-encoded.'),
    service: z.string(),
    profile: z.string().describe('`id@service`, as paths take it.'),
    name: z.string().optional(),
    handle: z.string().optional(),
    email: z.string().optional(),
    url: z.string().optional(),
    photo: z.string().optional(),
    state: profileState,
    scope: z.string().optional().describe('The scope that the person granted.'),
    connected_at: z.number(),
    synced_at: z.number().optional(),
    error: z.string().optional(),
    reconnect: z.string().optional().describe('In the state `needs_auth`: POST here for a link to sign in again.'),
    data: z.unknown().optional().describe("With `full=true`: the service's own record of the person."),
    auth: serviceTokens.optional().describe('With `auth=true`.'),
  })
  .meta({ id: 'Profile', description: 'One service user of an account.' })

/** The profiles of an account, by service: native ids, or objects. */
export const profiles = z
  .object({ id: z.string().describe('The account.') })
  .catchall(z.array(z.union([z.string(), profile])))
  .meta({
    id: 'Profiles',
    description:
      'The account and, by service, its profiles: native ids; with `full` or `auth` objects. The one connected last is last.',
  })

const ownProfile = z
  .object({
    id: z.string().describe('The native id of the service user, percent-encoded.'),
    profile: z.string().describe('`id@service`.'),
    name: z.string().optional(),
    handle: z.string().optional(),
    url: z.string().optional(),
    thumbnail_url: z.string().optional(),
    state: profileState,
  })
  .meta({ id: 'OwnProfile', description: 'A profile in short.' })

export const ownPerson = z
  .object({
    id: z.string().describe('The account.'),
    name: z.string().optional(),
    email: z.string().optional(),
    handle: z.string().optional(),
    url: z.string().optional(),
    thumbnail_url: z.string().optional(),
    description: z.string().optional(),
    location: z.string().optional(),
    services: z
      .record(z.string(), ownProfile)
      .describe('By profile name: `service` for the one connected last, `id@service` for others.'),
  })
  .meta({ id: 'OwnPerson', description: 'The person of an account, merged from all profiles.' })

const contact = z
  .object({
    id: z.string(),
    idr: z.string(),
    profile: z.string().describe('The profile whose contact it is.'),
    user: z.string().describe('The native id of the service user.'),
    name: z.string().optional(),
    handle: z.string().optional(),
    email: z.string().optional(),
    phone: z.string().optional(),
    url: z.string().optional(),
    website: z.string().optional(),
    thumbnail_url: z.string().optional(),
    description: z.string().optional(),
    location: z.string().optional(),
  })
  .meta({ id: 'PersonContact', description: 'A contact at one service.' })

const serviceUser = z
  .object({ service: z.string(), user: z.string().describe('The native id.') })
  .meta({ id: 'ServiceUser', description: 'A user at a service, whom contacts name.' })

const join = z
  .object({
    by: z
      .enum(REASONS_TO_JOIN)
      .describe('What they have in common: an e-mail address, a link, handle and name, or a decision of the app.'),
    strength: z
      .enum(STRENGTHS)
      .describe('`certain`: the app decided. `strong`: the name as well. `good`: an e-mail address. `fair`: a link.'),
    value: z.string().optional().describe('The value, as it is compared.'),
    decision: z.string().optional().describe('The id of the decision, which can be undone.'),
    users: z.array(serviceUser).describe('Those who have it in common.'),
  })
  .meta({ id: 'PersonJoin', description: 'Why service users are one person.' })

export const peopleDecision = z
  .object({
    id: z.string(),
    kind: z.enum(['join', 'split']),
    decided_at: z.int(),
    users: z.array(serviceUser).describe('They are one person.'),
    others: z.array(serviceUser).optional().describe('Of a split: they are not that person.'),
  })
  .meta({
    id: 'PeopleDecision',
    description: 'What the app decided about people. It counts more than what contacts say.',
  })

export const person = z
  .object({
    id: z.string().describe('The global id of the first contact.'),
    name: z.string().optional(),
    self: z.literal(true).optional().describe('It is the person of the account.'),
    emails: z.array(z.string()),
    handles: z.array(z.string()),
    phones: z.array(z.string()),
    urls: z.array(z.string()),
    thumbnail_url: z.string().optional(),
    services: z.record(z.string(), z.array(contact)).describe('Their contacts, by service.'),
    joined: z
      .array(join)
      .describe('Why these contacts are one person, the strongest reason first; empty for one service user.'),
  })
  .meta({ id: 'Person', description: 'A person whom the account knows: contacts that belong together.' })

export const personDetail = person
  .extend({
    appearances: z
      .record(z.string(), z.record(z.string(), z.int()))
      .describe('How many items they appear in, by service and type.'),
    items: z.array(item).describe('The newest of these items.'),
  })
  .meta({ id: 'PersonDetail', description: 'A person, with items in which they appear.' })
