import type { ReadingAccount } from '#model/account.ts'
import type { Query } from '#model/query.ts'
import type { FoundItem } from '#store/items/query.ts'
import type { ItemScope, ReadDeps } from './find.ts'
import { createPresenter, type Presentation } from './present.ts'
import { readItems } from './read-items.ts'

/** Up to this much text is buffered, so that the response can link its next page; more is streamed. */
const BUFFERED_CHARS = 512 * 1024
const PIECE_CHARS = 64 * 1024

export type ItemsResponse =
  | { whole: string /** The last item, when more come after it. */; next: { at: number; id: string } | undefined }
  | { pieces: AsyncGenerator<string> }

/** Reads items as the JSON text of an array, in bounded memory whatever the limit. */
export async function respondWithItems(
  deps: ReadDeps,
  scope: ItemScope<ReadingAccount>,
  query: Query,
  options: Presentation,
): Promise<ItemsResponse> {
  const present = createPresenter(deps, scope.readable, options)
  // One item more than requested shows whether there is a next page.
  const limit = query.limit === 0 ? 0 : query.limit + 1
  const batches = readItems(deps, scope, { ...query, limit })
  const found: FoundItem[] = []
  let chars = 0
  for (;;) {
    const { done, value } = await batches.next()
    if (done) break
    found.push(...value)
    chars += value.reduce((sum, { data, oembed }) => sum + data.length + oembed.length, 0)
    if (chars > BUFFERED_CHARS) return { pieces: pieces(found, batches, query.limit, present) }
  }
  const items = found.slice(0, query.limit)
  return { whole: `[${items.map(present).join(',')}]`, next: found.length > query.limit ? items.at(-1) : undefined }
}

/** Holds only the rest of one batch and one piece of text, however slow the consumer is. */
async function* pieces(
  buffered: FoundItem[],
  batches: AsyncGenerator<FoundItem[]>,
  limit: number,
  present: (item: FoundItem) => string,
): AsyncGenerator<string> {
  let left = limit
  let text = ''
  try {
    for (let found: FoundItem[] | undefined = buffered; found !== undefined; ) {
      // Removes items from the list, so that a stalled consumer does not retain those it has received.
      for (let item = found.shift(); item !== undefined && left > 0; item = found.shift()) {
        text += (left === limit ? '[' : ',') + present(item)
        left -= 1
        if (text.length < PIECE_CHARS) continue
        yield text
        text = ''
      }
      const next: IteratorResult<FoundItem[]> = await batches.next()
      found = next.done ? undefined : next.value
    }
    yield `${text}]`
  } finally {
    await batches.return(undefined)
  }
}
