import assert from 'node:assert/strict'
import { markDeliveriesDue, openProfileCursors } from '#store/push/cursors.ts'
import { basic } from '../../../harness/app.ts'
import { send } from '../../../harness/send.ts'
import type { Item, Profile, Reader } from '../fixture.ts'
import { startChangesHarness } from './changes-fixture.ts'

export type FeedChange =
  | { change: 'upsert'; account: string; profile: string; item: Item }
  | { change: 'delete'; account: string; profile: string; id: string; idr: string; deleted_at: number }
  | { change: 'profile'; profile: { id: string; account: string; merged_into?: string; state: string } }
  | { change: 'profile_removed'; profile: string }
  | { change: 'event'; event: { id: string; type: string; at: number; data: Record<string, unknown> } }

export interface FeedPage {
  changes: FeedChange[]
  cursor: string
  more: boolean
}

export type FeedHarness = Awaited<ReturnType<typeof startFeedHarness>>

/** The harness of `/changes`, with profiles that destinations follow, and the app as a reader of its feed. */
export async function startFeedHarness() {
  const harness = await startChangesHarness()
  const { tributary, appId, appSecret } = harness
  const { database } = tributary.store
  const app = { clientId: appId, secret: appSecret }
  const request = (query = '', method = 'GET', credentials = app) =>
    send({ tributary }, method, `/accounts/changes?${query}`, { headers: basic(credentials) })
  const page = async (query = ''): Promise<FeedPage> => {
    const { status, text, body } = await request(query)
    assert.equal(status, 200, text)
    return body as unknown as FeedPage
  }
  return {
    ...harness,
    app,
    newProfile: async (reader: Reader, service: Profile['service'] = 'library', owner = 'ada'): Promise<Profile> => {
      const profile = await harness.newProfile(reader, service, owner)
      const { shard, profileId } = profile
      await database.transaction((tx) => openProfileCursors(tx, { shard, profileId }, appId, Date.now()))
      return profile
    },
    drop: async (profile: Profile, ids: string[], endpoint = 'things') => {
      await harness.drop(profile, ids, endpoint)
      const { shard, profileId } = profile
      await database.transaction((tx) => markDeliveriesDue(tx, { shard, profileId }, Date.now()))
    },
    disconnect: async ({ service, owner }: Profile, reader: Reader) => {
      const name = encodeURIComponent(`${encodeURIComponent(owner)}@${service}`)
      const { status, text } = await harness.request(`/profiles/${name}`, reader, { method: 'DELETE' })
      assert.equal(status, 200, text)
    },
    request: harness.request,
    feed: request,
    page,
    /** Resolves when every change so far is recorded. */
    recorded: () => tributary.idle('deliveries'),
  }
}

/** An app that follows its feed: all that it knows comes from there. */
export class Replica {
  /** By profile and id. */
  readonly items = new Map<string, { account: string; profile: string; item: Item }>()
  readonly profiles = new Map<string, { account: string; mergedInto: string | undefined }>()
  readonly events: string[] = []
  readonly filter: string
  cursor: string | undefined

  constructor(filter = '') {
    this.filter = filter
  }

  apply({ changes, cursor }: FeedPage, keepsCursor = true): void {
    // What was deleted before an app begins is not repeated.
    if (this.cursor === undefined) {
      this.items.clear()
      this.profiles.clear()
    }
    for (const entry of changes) this.#applyOne(entry)
    // An app that crashes before it has stored the cursor reads the page again.
    if (keepsCursor) this.cursor = cursor
  }

  query(limit: number): string {
    return `limit=${limit}&${this.filter}${this.cursor === undefined ? '' : `&cursor=${this.cursor}`}`
  }

  #applyOne(entry: FeedChange): void {
    if (entry.change === 'upsert') this.items.set(`${entry.profile} ${entry.item.id}`, entry)
    else if (entry.change === 'delete') this.items.delete(`${entry.profile} ${entry.id}`)
    else if (entry.change === 'profile')
      this.profiles.set(entry.profile.id, { account: entry.profile.account, mergedInto: entry.profile.merged_into })
    else if (entry.change === 'event') this.events.push(entry.event.type)
    else {
      this.profiles.delete(entry.profile)
      for (const [key, { profile }] of this.items) if (profile === entry.profile) this.items.delete(key)
    }
  }
}

/** Reads pages until there are no more. Returns their entries. */
export async function catchUp(
  { page }: Pick<FeedHarness, 'page'>,
  replica: Replica,
  limit = 100,
): Promise<FeedChange[]> {
  const entries: FeedChange[] = []
  for (let pages = 0; ; pages += 1) {
    assert.ok(pages < 5000, 'the pages end')
    const read = await page(replica.query(limit))
    assert.ok(read.changes.length <= limit, 'a page has at most as many changes as were asked for')
    replica.apply(read)
    entries.push(...read.changes)
    if (!read.more) return entries
  }
}

/** An entry as a word: `+` an item, `-` a deleted one, `=` a profile, `!` a removed one, `*` an event. */
export function short(entry: FeedChange): string {
  if (entry.change === 'upsert') return `+${entry.item.data.id}`
  if (entry.change === 'delete') return `-${decodeURIComponent(entry.idr.replace(/.*#/, ''))}`
  if (entry.change === 'profile') return '='
  return entry.change === 'event' ? `*${entry.event.type}` : '!'
}
