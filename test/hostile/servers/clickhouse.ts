import fc from 'fast-check'
import type { HostileServer } from './listen.ts'
import { plainResponse, type RawResponse, rawResponses, startRawHttp } from './raw-http.ts'

/** The responses of a server to inserts and to other statements, one per request, then again from the first. */
export interface ClickhouseCase {
  insert: RawResponse[]
  other: RawResponse[]
}

export function startHostileClickhouse(kase: ClickhouseCase): Promise<HostileServer> {
  const asked = { insert: 0, other: 0 }
  return startRawHttp(({ path }) => {
    const what = path.includes('query=insert') ? 'insert' : 'other'
    return kase[what][asked[what]++ % kase[what].length]
  })
}

const value = fc.oneof(
  fc.constantFrom(0, 1, -1, '0', '1', '-1', '99999999999999999999', 1e308, null, '', [], {}, 'x'.repeat(100_000)),
  fc.jsonValue(),
)
const row = fc.record(
  { n: value, seq: value, epoch: value, updated_at: value, version: value, present: value, id: value, name: value },
  { requiredKeys: [] },
)
const table = fc
  .array(row, { maxLength: 5 })
  .chain((data) =>
    fc.constantFrom(data.length, data.length, data.length, 7, '1').map((rows) => JSON.stringify({ data, rows })),
  )
const exception = fc
  .tuple(fc.integer({ min: -5, max: 99_999 }), fc.string({ maxLength: 2000 }))
  .map(([code, text]) => `Code: ${code}, e.displayText() = DB::Exception: ${text}, e.what() = DB::Exception`)
const body = fc.oneof(
  { weight: 5, arbitrary: table },
  { weight: 2, arbitrary: exception },
  { weight: 1, arbitrary: fc.constantFrom('[', '['.repeat(100_000), '{"data":'.repeat(50_000), 'x'.repeat(300_000)) },
)
const responses = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: table.map((text) => plainResponse(200, text)) },
    { weight: 1, arbitrary: exception.map((text) => plainResponse(500, text)) },
    { weight: 3, arbitrary: rawResponses(body) },
  ),
  { minLength: 1, maxLength: 4 },
)

export const clickhouseCases: fc.Arbitrary<ClickhouseCase> = fc.record({ insert: responses, other: responses })
