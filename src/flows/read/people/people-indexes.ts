import type { Account } from '#model/accounts/account.ts'
import { ApiError } from '#model/errors.ts'
import { partitionOf } from '#model/items/idr.ts'
import { createPeopleIndex, type PeopleIndex } from '#model/people/people-index.ts'
import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import { createYielder } from '#platform/waiting/event-loop-yield.ts'
import { createSemaphore } from '#platform/waiting/semaphore.ts'
import { createTtlCache } from '#platform/waiting/ttl-cache.ts'
import { listPeopleDecisions, peopleRevision } from '#store/identity/people-decisions.ts'
import type { ReadableProfile } from '#store/identity/readable-profiles.ts'
import { haveChangedAfter } from '#store/items/change-keys.ts'
import { latestChange } from '#store/items/changes.ts'
import { CONTACT_BITS, contactsOf } from '#store/items/contacts.ts'
import { readContactCard } from './contact-card.ts'

/** The people of accounts, cached as long as no contact of theirs and no decision about them changes. */
export interface PeopleIndexes {
  of(account: PeopleOwner, readable: readonly ReadableProfile[]): Promise<PeopleIndex>
}

type PeopleOwner = Pick<Account, 'shard' | 'id'>

interface CachedIndex {
  index: PeopleIndex
  /** Of the decisions about the account's people. */
  revision: number
  profiles: { profile: ReadableProfile; upTo: number; endpoints: string[] }[]
}

/** Limit (reading): contacts of an account that are grouped into people; with more, `/people` is answered with 413. */
const MAX_CONTACTS = 250_000
/** Limit: contacts whose people are cached in one process, about 0.2 KB each; the least recently used account is evicted. */
const MAX_CACHED_CONTACTS = 500_000
/** Limit: accounts whose people are cached in one process; the least recently used is evicted. */
const MAX_CACHED_ACCOUNTS = 1000
/** Limit: accounts whose contacts are grouped at a time in one process; others wait. */
const MAX_GROUPING = 2
const INDEX_TTL_MS = 10 * 60_000
const BATCH_ROWS = 1000

export function createPeopleIndexes(
  { database, clock }: { database: Database; clock: Clock },
  { maxContacts = MAX_CONTACTS }: { maxContacts?: number } = {},
): PeopleIndexes {
  const grouping = createSemaphore(MAX_GROUPING)
  const cache = createTtlCache<CachedIndex>(clock, {
    ttlMs: INDEX_TTL_MS,
    maxEntries: MAX_CACHED_ACCOUNTS,
    maxWeight: MAX_CACHED_CONTACTS,
    weigh: ({ index }) => index.byContact.size + 1,
  })

  return {
    of: async (account, readable) => {
      // Another set of profiles has other people, so that a disconnected profile is never in a cached index.
      const key = [account.id, ...readable.map(({ profileId }) => profileId)].join(' ')
      for (;;) {
        const revision = await peopleRevision(database, account)
        let isNew = false
        const cached = await cache.get(key, () => {
          isNew = true
          return grouping.run(() => load(database, account, readable, revision, maxContacts))
        })
        if (isNew || (cached.revision >= revision && (await isCurrent(database, cached)))) return cached.index
        if ((await cache.peek(key)) === cached) cache.delete(key)
      }
    },
  }
}

async function load(
  database: Database,
  account: PeopleOwner,
  readable: readonly ReadableProfile[],
  revision: number,
  maxContacts: number,
): Promise<CachedIndex> {
  // Read after the revision: what is decided meanwhile counts as decided afterwards.
  const builder = createPeopleIndex(revision === 0 ? [] : await listPeopleDecisions(database.background, account))
  const pause = createYielder()
  const profiles: CachedIndex['profiles'] = []
  for (const profile of readable) {
    // Read first: what changes during the scan counts as changed afterwards.
    const upTo = (await latestChange(database.background, profile)) ?? 0
    const endpoints = new Set<string>()
    const suffix = `_${partitionOf(profile)}`
    for await (const contacts of contactsOf(database.background, profile, BATCH_ROWS)) {
      if (builder.size() + contacts.length > maxContacts) throw new ApiError('too_many_contacts')
      for (const contact of contacts) {
        endpoints.add(contact.endpoint)
        const { user, identity } = readContactCard(contact)
        builder.add({ ...identity, id: contact.id + suffix, at: contact.at, service: profile.service, user })
        // Only what has to wait is awaited: there are very many contacts.
        const pausing = pause()
        if (pausing !== undefined) await pausing
      }
    }
    profiles.push({ profile, upTo, endpoints: [...endpoints] })
  }
  const steps = builder.finish()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return { index: step.value, revision, profiles }
    const pausing = pause()
    if (pausing !== undefined) await pausing
  }
}

/** Whether the contacts are those that were grouped. Changes of other items move the position from which it looks next. */
async function isCurrent(database: Database, { profiles }: CachedIndex): Promise<boolean> {
  for (const known of profiles) {
    const latest = (await latestChange(database, known.profile)) ?? 0
    const { profile, upTo, endpoints } = known
    if (await haveChangedAfter(database, profile, upTo, { bits: CONTACT_BITS, endpoints })) return false
    known.upTo = Math.max(known.upTo, latest)
  }
  return true
}
