import type { VerifiedOrCachedAccount } from '#model/accounts/account.ts'
import type { ItemKey, Query } from '#model/items/query.ts'
import type { FoundItem } from '#store/items/query.ts'
import type { ItemScope, ReadDeps } from './find.ts'
import { countAllPages, findPageEnd } from './page-end.ts'
import { createPresenter, type Presentation } from './present.ts'
import { isSelfScope, querySelfItems } from './query-self-items.ts'
import { readItems } from './read-items.ts'

/** Up to this much text is buffered; of more, the end of the page is found first, and then it is streamed. */
const BUFFERED_CHARS = 512 * 1024
const PIECE_CHARS = 64 * 1024

export interface ItemsResponse {
  body: string | AsyncGenerator<string>
  /** The last item, when more come after it. */
  next: ItemKey | undefined
  /** How many items the query finds on all its pages, if that was asked for. */
  total: number | undefined
}

export interface ItemsRequest extends Presentation {
  count: boolean
}

/** Reads items as the JSON text of an array, in bounded memory whatever the limit. */
export async function respondWithItems(
  deps: ReadDeps,
  scope: ItemScope<VerifiedOrCachedAccount>,
  query: Query,
  options: ItemsRequest,
): Promise<ItemsResponse> {
  const present = createPresenter(deps, scope.readable, options)
  if (isSelfScope(scope)) return respondWithSelf(deps, scope, query, options, present)
  const { found, isWhole } = await readFirst(deps, scope, query)
  const items = found.slice(0, query.limit)
  const count = () => countAllPages(deps, scope, query)
  if (isWhole || found.length > query.limit) {
    const next = found.length > query.limit ? items.at(-1) : undefined
    const isAll = next === undefined && query.before === undefined && query.limit > 0
    const total = options.count ? (isAll ? items.length : await count()) : undefined
    if (isWhole) return { body: `[${items.map(present).join(',')}]`, next, total }
    return { body: pieces(items, undefined, present), next, total }
  }
  const lastFound = items.at(-1)
  const rest = { ...query, before: lastFound && keyOf(lastFound) }
  const { last, hasMore, kept } = await findPageEnd(deps, scope, rest, query.limit - items.length)
  const total = options.count ? await count() : undefined
  // The limit was used to find the end. Whatever is added or removed meanwhile, the page ends there, and the next one begins there.
  const batches =
    last && readItems(deps, scope, { ...rest, through: keyOf(last), limit: Number.MAX_SAFE_INTEGER }, kept)
  return { body: pieces(items, batches, present), next: hasMore ? (last ?? rest.before) : undefined, total }
}

const keyOf = ({ at, id }: ItemKey): ItemKey => ({ at, id })

/** The records of the person, one for each profile: few enough for one list. */
async function respondWithSelf(
  deps: ReadDeps,
  scope: ItemScope<VerifiedOrCachedAccount>,
  query: Query,
  { count }: ItemsRequest,
  present: (item: FoundItem) => string,
): Promise<ItemsResponse> {
  const found = await querySelfItems(deps, scope, query)
  const items = found.slice(0, query.limit)
  const all = { ...query, before: undefined, limit: Number.MAX_SAFE_INTEGER - 1 }
  return {
    body: `[${items.map(present).join(',')}]`,
    next: found.length > query.limit ? items.at(-1) : undefined,
    total: count ? (await querySelfItems(deps, scope, all)).length : undefined,
  }
}

/** Reads until the limit or as much as is buffered. One item more than requested shows whether there is a next page. */
async function readFirst(
  deps: ReadDeps,
  scope: ItemScope<VerifiedOrCachedAccount>,
  query: Query,
): Promise<{ found: FoundItem[]; isWhole: boolean }> {
  const limit = query.limit === 0 ? 0 : query.limit + 1
  const found: FoundItem[] = []
  let chars = 0
  for await (const batch of readItems(deps, scope, { ...query, limit })) {
    found.push(...batch)
    chars += batch.reduce((sum, { data, oembed }) => sum + data.length + oembed.length, 0)
    if (chars > BUFFERED_CHARS) return { found, isWhole: false }
  }
  return { found, isWhole: true }
}

/** Holds only the rest of one batch and one piece of text, however slow the consumer is. */
async function* pieces(
  buffered: FoundItem[],
  batches: AsyncGenerator<FoundItem[]> | undefined,
  present: (item: FoundItem) => string,
): AsyncGenerator<string> {
  let text = '['
  let isFirst = true
  try {
    for (let found: FoundItem[] | undefined = buffered; found !== undefined; ) {
      // Removes items from the list, so that a stalled consumer does not retain those it has received.
      for (let item = found.shift(); item !== undefined; item = found.shift()) {
        text += (isFirst ? '' : ',') + present(item)
        isFirst = false
        if (text.length < PIECE_CHARS) continue
        yield text
        text = ''
      }
      const next: IteratorResult<FoundItem[]> | undefined = await batches?.next()
      found = next === undefined || next.done ? undefined : next.value
    }
    yield `${text}]`
  } finally {
    await batches?.return(undefined)
  }
}
