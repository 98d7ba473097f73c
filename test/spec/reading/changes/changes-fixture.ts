import assert from 'node:assert/strict'
import { ingest } from '#flows/sync/commit/commit-page.ts'
import { openItemStream } from '#flows/sync/diff/item-stream.ts'
import { profileName } from '#model/accounts/profile-name.ts'
import { globalId, parseIdr } from '#model/items/idr.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { removeItems } from '#store/items/items.ts'
import { numberOwnChanges } from '#store/items/own-profile.ts'
import { scheduleProfile } from '#store/sync/schedule.ts'
import type { LosslessJson } from '#upstream/body/lossless-json.ts'
import { get } from '../../../harness/send.ts'
import library from '../connectors/library.ts'
import museum from '../connectors/museum.ts'
import { type Item, type Profile, type Reader, type ReadingHarness, startReadingHarness } from '../fixture.ts'
import type { Thing } from '../thing.ts'

const CONNECTORS = { library, museum }
const DAY_MS = 86_400_000

export type Change =
  | { change: 'upsert'; item: Item }
  | { change: 'delete'; id: string; idr: string; deleted_at: number }
  | { change: 'profile_removed'; profile: string }

export interface Page {
  changes: Change[]
  cursor: string
  more: boolean
}

export type ChangesHarness = Awaited<ReturnType<typeof startChangesHarness>>

/** The reading harness with profiles whose changes are numbered as a sync numbers them. */
export async function startChangesHarness() {
  const harness: ReadingHarness = await startReadingHarness()
  const { database } = harness.tributary.store
  return {
    ...harness,
    newProfile: async (reader: Reader, service: Profile['service'] = 'library', owner = 'ada'): Promise<Profile> => {
      const profile = await harness.newProfile(reader, service, owner)
      const { shard, profileId } = profile
      // No worker runs it.
      const scheduled = { shard, profileId, appId: harness.appId, service, readerVersion: 0 }
      await database.transaction((tx) => scheduleProfile(tx, scheduled, [], Date.now() + DAY_MS))
      return profile
    },
    write: (profile: Profile, things: Thing[], endpoint = 'things', nowMs = Date.now()) =>
      database.transaction((tx) => writeThings(tx, profile, things, endpoint, nowMs)),
    drop: (profile: Profile, ids: string[], endpoint = 'things') =>
      database.transaction((tx) => dropThings(tx, profile, ids, endpoint)),
    post: async (reader: Reader, items: unknown[], endpoint = 'notes') => {
      const reply = await harness.request(`/services/self/${endpoint}`, reader, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(items),
      })
      assert.equal(reply.status, 200, reply.text)
    },
    merge: async (source: Reader, dest: Reader) => {
      const { status } = await harness.request(`/auth/merge?source=${source.token}&dest=${dest.token}`, dest)
      assert.equal(status, 200)
    },
    page: (reader: Pick<Reader, 'token'>, query = '') => readPage(harness.tributary.url, reader.token, query),
  }
}

export async function readPage(url: string, token: string, query: string): Promise<Page> {
  const { status, text, body } = await get({ tributary: { url } }, `/changes?${query}`, token)
  assert.equal(status, 200, text)
  return body as unknown as Page
}

/** Writes as a sync does: the numbers are taken under the profile's lock, which the transaction holds to its end. */
export async function writeThings(
  tx: Queries,
  { shard, profileId, service, owner }: Profile,
  things: Thing[],
  endpoint: string,
  nowMs: number,
): Promise<void> {
  const connector = CONNECTORS[service]
  const lastSeq = await numberOwnChanges(tx, { shard, profileId }, things.length)
  const stream = openItemStream(connector, endpoint, connector.endpoints[endpoint]!, owner, { shard, profileId }, 0)
  await ingest(tx, stream, things as LosslessJson[], lastSeq, nowMs)
}

async function dropThings(tx: Queries, profile: Profile, names: string[], endpoint: string): Promise<void> {
  const { shard, profileId, service, owner } = profile
  const ids = names.map((item) => globalId({ type: 'thing', owner, service, endpoint, item }).slice(0, 32))
  const lastSeq = await numberOwnChanges(tx, { shard, profileId }, ids.length)
  await removeItems(tx, { shard, profileId }, ids, lastSeq - ids.length + 1, Date.now())
}

/** An app that follows the changes: all that it knows comes from them. */
export class Follower {
  readonly items = new Map<string, Item>()
  readonly filter: string
  cursor: string | undefined

  constructor(filter = '') {
    this.filter = filter
  }

  apply({ changes, cursor }: Page): void {
    for (const entry of changes) {
      if (entry.change === 'upsert') this.items.set(entry.item.id, entry.item)
      else if (entry.change === 'delete') this.items.delete(entry.id)
      else this.#drop(entry.profile)
    }
    this.cursor = cursor
  }

  query(limit: number): string {
    return `limit=${limit}&${this.filter}${this.cursor === undefined ? '' : `&cursor=${this.cursor}`}`
  }

  #drop(profile: string): void {
    for (const [id, { idr }] of this.items) {
      const { owner, service } = parseIdr(idr)!
      if (profileName({ nativeId: owner!, service }) === profile) this.items.delete(id)
    }
  }
}

/** An entry as a word: `+` and the id of an item, `-` and the id of a deleted one, `!` and a removed profile. */
export function short(entry: Change): string {
  if (entry.change === 'upsert') return `+${entry.item.data.id}`
  if (entry.change === 'delete') return `-${decodeURIComponent(entry.idr.replace(/.*#/, ''))}`
  return `!${entry.profile}`
}

/** Reads pages until there are no more. Returns their entries. */
export async function catchUp(
  { page }: Pick<ChangesHarness, 'page'>,
  follower: Follower,
  reader: Pick<Reader, 'token'>,
  limit = 100,
): Promise<Change[]> {
  const entries: Change[] = []
  for (let pages = 0; ; pages += 1) {
    assert.ok(pages < 5000, 'the pages end')
    const read = await page(reader, follower.query(limit))
    follower.apply(read)
    entries.push(...read.changes)
    if (!read.more) return entries
  }
}
