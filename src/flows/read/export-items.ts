import type { Account } from '#model/accounts/account.ts'
import { listReadable } from '#store/identity/readable-profiles.ts'
import { changesAfter } from '#store/items/changes.ts'
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
      yield changes.items.map((item) => present({ ...item, profileId: profile.profileId }))
      after = changes.upTo
      more = changes.more
    }
  }
}
