import type { NoAuth, TypedValues } from '#kit/auth/typed.ts'
import { urlIn } from '#kit/auth/typed-values.ts'
import { UpstreamError } from '../request/errors.ts'
import type { Upstream, UpstreamResponse } from '../request/send.ts'

/** Limit: redirects on the way to a source that somebody named; one more fails the sign-in. */
const MAX_REDIRECTS = 5
/** Limit: bytes of a page that leads to a source; a longer one fails the sign-in. */
const MAX_PAGE_BYTES = 5 * 1024 * 1024

/**
 * The typed values, with the address of the source itself where somebody named a page that leads to it, or one that has moved for
 * good. Every step goes through the egress rules; nothing is executed, and a source that leads on is not followed further.
 */
export async function discoverSource(
  upstream: Upstream,
  { discover }: NoAuth,
  values: TypedValues,
): Promise<TypedValues> {
  const typed = discover && values[discover.field]
  if (discover === undefined || typed === undefined) return values
  const page = await follow(upstream, typed)
  // What is wrong there is said when the source is read.
  if (page.status !== 200) return values
  const found = discover.from({ text: page.text, url: page.url })
  const address = found === undefined ? page.lasting : urlIn(found)
  return address === undefined ? values : { ...values, [discover.field]: address }
}

interface Followed extends UpstreamResponse {
  url: string
  /** The address to keep: a temporary redirect may lead elsewhere next time. */
  lasting: string
}

async function follow(upstream: Upstream, from: string): Promise<Followed> {
  let url = from
  let lasting = from
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const response = await upstream.send({
      method: 'GET',
      url,
      trust: 'person',
      headers: { accept: '*/*' },
      maxBytes: MAX_PAGE_BYTES,
    })
    const { location } = response.headers
    const isMoved = [301, 302, 303, 307, 308].includes(response.status) && location !== undefined
    if (!isMoved) return { ...response, url, lasting }
    const isPermanent = (response.status === 301 || response.status === 308) && lasting === url
    const target = URL.parse(location, url)
    const next = target === null ? undefined : urlIn(target.href)
    if (next === undefined) return { ...response, url, lasting }
    url = next
    if (isPermanent) lasting = next
  }
  throw new UpstreamError('stop', 'The address redirects too often', { reason: 'redirect_refused' })
}
