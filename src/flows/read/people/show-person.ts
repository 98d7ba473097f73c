import type { Account } from '#model/accounts/account.ts'
import type { Query } from '#model/items/query.ts'
import { createPresenter } from '../present.ts'
import { readItems } from '../read-items.ts'
import { appearancesOf, findPerson, itemsOfPerson, type PeopleDeps } from './people.ts'

/** Up to this much text of items is sent with a person; the others follow on the next page. */
const ITEMS_CHARS = 512 * 1024

export interface ShownPerson {
  text: string
  id: string
  /** The last item, when more come after it. */
  next: { at: number; id: string } | undefined
}

/** `/people/:id`: a person as JSON text, with the first items in which they appear. */
export async function showPerson(deps: PeopleDeps, account: Account, id: string, query: Query): Promise<ShownPerson> {
  const found = await findPerson(deps, account, id)
  const { scope, narrow } = itemsOfPerson(deps, account, found)
  const present = createPresenter(deps, scope.readable, { oembed: true, map: false })
  const items: string[] = []
  let chars = 0
  let last: { at: number; id: string } | undefined
  let more = false
  // One item more than requested shows whether there is a next page.
  const batches = readItems(deps, scope, narrow({ ...query, limit: query.limit === 0 ? 0 : query.limit + 1 }))
  for await (const batch of batches) {
    for (const item of batch) {
      more = items.length === query.limit || (items.length > 0 && chars > ITEMS_CHARS)
      if (more) break
      const text = present(item)
      items.push(text)
      chars += text.length
      last = { at: item.at, id: item.id }
    }
    if (more) break
  }
  const head = JSON.stringify({ ...found.person, appearances: await appearancesOf(deps, found) })
  return {
    text: `${head.slice(0, -1)},"items":[${items.join(',')}]}`,
    id: found.person.id,
    next: more ? last : undefined,
  }
}
