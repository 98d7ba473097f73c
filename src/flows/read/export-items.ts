import type { Account } from '#model/account.ts'
import { changesAfter } from '#store/changes.ts'
import { itemsHeldBy } from '#store/item-match.ts'
import { listReadable } from '#store/readable.ts'
import type { ReadNeed } from './find.ts'
import { createPresenter } from './present.ts'

const BATCH = { rows: 1000, bytes: 4 * 1024 * 1024 }

/**
 * Every item that is kept of an account, whatever its type, as JSON text. In the order of change: what a running sync
 * writes meanwhile comes last, and nothing is passed by.
 */
export async function* exportItems(need: ReadNeed, account: Account): AsyncGenerator<string[]> {
  const readable = await listReadable(need.database, account)
  const present = createPresenter(need, readable, { oembed: true, map: false })
  for (const profile of readable) {
    for (let after = 0, more = true; more; ) {
      const changes = await changesAfter(need.database, profile, after, BATCH)
      const ids = changes.items.map(({ id }) => id)
      const elsewhere = new Set<string>()
      // What a merge brought together twice is exported once.
      for (const twin of profile.twins) for (const id of await itemsHeldBy(need.database, twin, ids)) elsewhere.add(id)
      const own = changes.items.filter(({ id }) => !elsewhere.has(id))
      yield own.map((item) => present({ ...item, profileId: profile.profileId }))
      after = changes.upTo
      more = changes.more
    }
  }
}
