import fc from 'fast-check'
import type { HostileServer } from './listen.ts'
import { plainResponse, type RawResponse, rawResponses, startRawHttp } from './raw-http.ts'

/** The responses of a store by method, one per request, then again from the first. */
export interface S3Case {
  put: RawResponse[]
  get: RawResponse[]
  list: RawResponse[]
  remove: RawResponse[]
}

export function startHostileS3(kase: S3Case): Promise<HostileServer> {
  const asked = { put: 0, get: 0, list: 0, remove: 0 }
  return startRawHttp(({ method, path }) => {
    const what = method === 'PUT' ? 'put' : method === 'DELETE' ? 'remove' : path.includes('list-type') ? 'list' : 'get'
    return kase[what][asked[what]++ % kase[what].length]
  })
}

/** A store that accepts everything and lists what `page` returns for a page number and request. */
export async function startListingS3(
  page: (number: number, query: URLSearchParams) => { keys: string[]; token: string | undefined },
): Promise<HostileServer & { listed: () => number; removed: () => number; queries: URLSearchParams[] }> {
  let [listed, removed] = [0, 0]
  const queries: URLSearchParams[] = []
  const server = await startRawHttp(({ method, path }) => {
    if (method === 'PUT') return plainResponse(200, '')
    if (method === 'DELETE') {
      removed += 1
      return plainResponse(204, '')
    }
    if (!path.includes('list-type')) return plainResponse(404, '<Error><Code>NoSuchKey</Code></Error>')
    const query = new URLSearchParams(path.slice(path.indexOf('?')))
    if (queries.length < 10) queries.push(query)
    listed += 1
    const { keys, token } = page(listed, query)
    return plainResponse(200, listing(keys, token))
  })
  return { ...server, listed: () => listed, removed: () => removed, queries }
}

export function listing(keys: string[], token: string | undefined): string {
  const more = token === undefined ? '' : `<NextContinuationToken>${token}</NextContinuationToken>`
  return `<ListBucketResult>${keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')}${more}</ListBucketResult>`
}

const name = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom('../../x', 'p/../../x', '&#x110000;', '&#99999999999;', '&#xd800;', '%00', '', 'p/', 'p/a'),
)
const document = fc.oneof(
  fc
    .tuple(fc.array(name, { maxLength: 30 }), fc.option(name, { nil: undefined }))
    .map(([keys, token]) => listing(keys, token)),
  fc.constantFrom(
    listing(
      Array.from({ length: 3000 }, (_, i) => `p/${i}`),
      'again',
    ),
    `<Key>${'x'.repeat(200_000)}`,
    '<Key>'.repeat(20_000),
    `<Code>${'x'.repeat(200_000)}`,
    `<NextContinuationToken>${'t'.repeat(100_000)}</NextContinuationToken>`,
    '<Error><Code>NoSuchBucket</Code></Error>',
  ),
  fc.json(),
  fc
    .record({
      seq: fc.oneof(fc.integer(), fc.double(), fc.string()),
      epoch: fc.oneof(fc.integer(), fc.constant(1e308)),
      updated_at: fc.integer(),
    })
    .map((fields) => JSON.stringify(fields)),
)
const good = plainResponse(200, '')
const responses = (alone: RawResponse) =>
  fc.array(fc.oneof({ weight: 2, arbitrary: fc.constant(alone) }, { weight: 1, arbitrary: rawResponses(document) }), {
    minLength: 1,
    maxLength: 4,
  })

export const s3Cases: fc.Arbitrary<S3Case> = fc.record({
  put: responses(good),
  get: responses(plainResponse(404, '')),
  list: responses(plainResponse(200, listing(['p/a'], undefined))),
  remove: responses(plainResponse(204, '')),
})
