import type { Account } from '#model/account.ts'
import { changesAfter } from '#store/items/changes.ts'
import { itemsOfProfiles } from '#store/items/hidden-copies.ts'
import { listReadable } from '#store/items/readable-profiles.ts'
import type { ReadDeps } from './find.ts'
import { createPresenter } from './present.ts'

const BATCH = { rows: 1000, bytes: 4 * 1024 * 1024 }

/**
 * Yields every stored item of an account, of any type, as JSON text. In the order of change, so that what a running sync writes
 * meanwhile comes last and nothing is missed.
 */
export async function* exportItems(deps: ReadDeps, account: Account): AsyncGenerator<string[]> {
  const readable = await listReadable(deps.database, account)
  const present = createPresenter(deps, readable, { oembed: true, map: false })
  for (const profile of readable) {
    for (let after = 0, more = true; more; ) {
      const changes = await changesAfter(deps.database, profile, after, BATCH)
      const ids = changes.items.map(({ id }) => id)
      const duplicates = new Set<string>()
      // An item that several merged profiles contain is exported once.
      for (const duplicate of profile.duplicates)
        for (const id of await itemsOfProfiles(deps.database, duplicate, ids)) duplicates.add(id)
      const unique = changes.items.filter(({ id }) => !duplicates.has(id))
      yield unique.map((item) => present({ ...item, profileId: profile.profileId }))
      after = changes.upTo
      more = changes.more
    }
  }
}
