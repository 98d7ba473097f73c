import { isDeepStrictEqual } from 'node:util'
import { DEFAULT_LIMIT, findAll, rowOf } from './answer.ts'
import { parseExactly } from './exact-json.ts'
import type { Known } from './known-item.ts'
import { addressOf, type Question } from './question.ts'

/** Of a question with more pages, only two are read. */
const MAX_PAGES = 8

export interface Outcome {
  /** What differs, with the request and both rows. */
  differences: string[]
  rows: number
  pages: number
}

/**
 * Sends a question and follows its pages to the end; compares rows, order, content, number and links with the model. Without
 * `until`, a question means all until now: it is asked again when the time of an item came meanwhile.
 */
export async function compare(
  url: string,
  token: string,
  items: readonly Known[],
  question: Question,
): Promise<Outcome> {
  const started = Date.now()
  const outcome = await compareOnce(url, token, items, question)
  const ended = Date.now()
  const hasChanged = question.until === undefined && items.some(({ at }) => at >= started && at <= ended)
  return hasChanged ? compare(url, token, items, question) : outcome
}

async function compareOnce(url: string, token: string, items: readonly Known[], question: Question): Promise<Outcome> {
  const outcome: Outcome = { differences: [], rows: 0, pages: 0 }
  const { limit = DEFAULT_LIMIT } = question
  const expected = findAll(items, question, Date.now())
  // Pages are followed to the end, unless there are so many that they would only repeat each other.
  const followed = expected.length <= limit * MAX_PAGES ? MAX_PAGES : 2
  let address = url + addressOf(question)
  const differ = (what: string, seen: unknown, wanted: unknown) =>
    outcome.differences.push(
      `${address}\n  ${what}\n  answered ${JSON.stringify(seen)}\n  expected ${JSON.stringify(wanted)}`,
    )
  for (let from = 0; ; from += limit) {
    const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } })
    const text = await response.text()
    outcome.pages += 1
    if (response.status !== 200) {
      differ('status', [response.status, text], 200)
      break
    }
    const rows = parseExactly(text) as unknown[]
    outcome.rows += rows.length
    const page = expected.slice(from, from + limit)
    if (rows.length !== page.length)
      differ(
        'number of rows',
        [rows.length, rows.map(idOf)],
        page.map(({ id }) => id),
      )
    const at = rows.findIndex((row, i) => page[i] !== undefined && !isDeepStrictEqual(row, rowOf(page[i], question)))
    if (at !== -1) differ(`row ${at}`, rows[at], rowOf(page[at]!, question))
    const total = response.headers.get('x-total-count')
    if (total !== (question.count ? String(expected.length) : null)) differ('X-Total-Count', total, expected.length)
    const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
    const hasMore = limit > 0 && expected.length > from + limit
    if ((next !== undefined) !== hasMore) differ('Link', next ?? null, hasMore)
    if (next === undefined || outcome.differences.length > 0 || outcome.pages === followed) break
    address = next
  }
  return outcome
}

const idOf = (row: unknown) => (row as { id?: string }).id
