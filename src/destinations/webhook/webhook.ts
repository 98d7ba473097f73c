import { createHmac, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { DeliveryRow } from '#model/apps/destination.ts'
import { invalidInput } from '#model/errors.ts'
import { reasonOf } from '#platform/errors.ts'
import { firstOf, lastOf } from '#platform/formats/list-ends.ts'
import { retryAfterMs } from '#platform/formats/retry-after.ts'
import { requestOnce } from '../bounded-request.ts'
import { changeText, chunksOf } from '../change-text.ts'
import { type Batch, type Connection, DeliveryError, type Finding, type Kind, type KindDeps } from '../contract.ts'
import { explain } from '../driver-errors.ts'
import { checkPort } from '../network-address.ts'

/** Limit (push): time for one request to a webhook, until the head of its response has arrived. Then the request fails. */
const MAX_REQUEST_MS = 20_000
/** Limit: bytes of a webhook's response body that are read, so that the connection can be reused; never parsed. More close the connection. */
const MAX_BODY_BYTES = 16 * 1024
/** Limit: milliseconds for a webhook's response body, after its status is known. Then the connection is closed. */
const MAX_BODY_MS = 2000
/** Limit: bytes of one request to a webhook, small enough for any receiver; a larger batch is sent in several. */
const MAX_REQUEST_BYTES = 512 * 1024
const PREFIX = 'whsec_'

/** Standard Webhooks: id, timestamp and signature in headers; a batch of changes in the body. */
export const webhook: Kind = {
  options: z.strictObject({}),
  takesEvents: true,
  takesUnknownDeletes: false,
  newSigning: () => PREFIX + randomBytes(24).toString('base64'),
  checkAddress: (url) => {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw invalidInput('bad_body', 'url', 'must be an http or https address.')
    const { protocol, hostname, username, password, hash, port } = new URL(url)
    if (port !== '') checkPort(Number(port), [80, 443])
    if (username !== '' || password !== '' || hash !== '')
      throw invalidInput('bad_body', 'url', 'must not contain a user name or a fragment.')
    const wantsPlain = protocol === 'http:'
    return { host: hostname, wantsPlain, mustBeListed: wantsPlain }
  },
  open: (deps, _destination, secrets) => openWebhook(deps, secrets.url, secrets.signing ?? []),
}

function openWebhook(deps: KindDeps, url: string, signing: string[]): Connection {
  const closing = new AbortController()
  const post = (id: string, body: string) => send(deps, { url, signing, signal: closing.signal }, id, body)
  return {
    prepare: async () => {},
    test: async () => test(post, deps.clock.now()),
    write: async (batch) => {
      // Only the profile changed: its account or its state.
      if (batch.rows.length === 0)
        await post(`msg_${batch.profile.id}_profile_${batch.epoch}`, bodyOf('profile.changed', batch, []))
      for (const chunk of chunksOf(batch.rows, MAX_REQUEST_BYTES)) {
        // The same rows always have the same id, so that a receiver recognizes repetitions.
        await post(
          `msg_${batch.profile.id}_${batch.generation}_${firstOf(chunk).seq}_${lastOf(chunk).seq}`,
          bodyOf('items.changed', batch, chunk),
        )
      }
    },
    erase: async ({ profileId, epoch }) =>
      post(
        `msg_${profileId}_erased`,
        JSON.stringify({
          type: 'profile.erased',
          timestamp: new Date(deps.clock.now()).toISOString(),
          data: { profile: profileId, run: epoch },
        }),
      ),
    notify: ({ id, type, at, data }) =>
      post(`msg_${id}`, JSON.stringify({ type, timestamp: new Date(at).toISOString(), data })),
    drop: async () => {},
    close: async () => closing.abort(new Error('The connection was closed')),
  }

  function bodyOf(type: string, batch: Batch, rows: DeliveryRow[]): string {
    const { profile } = batch
    const head = JSON.stringify({
      id: profile.id,
      account: profile.account,
      service: profile.service,
      native_id: profile.nativeId,
      state: profile.state,
    })
    return `{"type":"${type}","timestamp":"${new Date(deps.clock.now()).toISOString()}","data":{"profile":${head},"run":${batch.epoch},"changes":[${rows.map(changeText).join(',')}]}}`
  }
}

async function send(
  deps: KindDeps,
  { url, signing, signal }: { url: string; signing: string[]; signal: AbortSignal },
  id: string,
  body: string,
): Promise<void> {
  const timestamp = Math.floor(deps.clock.now() / 1000)
  const { status, headers } = await exchange(
    deps,
    url,
    {
      'content-type': 'application/json',
      'user-agent': 'Tributary',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signing.map((secret) => sign(secret, id, timestamp, body)).join(' '),
    },
    body,
    signal,
  )
  if (status >= 200 && status < 300) return
  const waitMs = retryAfterMs(headers, deps.clock.now())
  if (status === 410) throw new DeliveryError('gone', 'The receiver answered 410: it wants no more deliveries.')
  // The batch is halved until it fits; a single row that is too large becomes a dead letter.
  if (status === 413) throw new DeliveryError('reject', 'The receiver answered 413: too large.')
  // Redirects and 4xx are tried again: the app may correct its address or its receiver.
  throw new DeliveryError('retry', `The receiver answered ${status}.`, { retryAfterMs: waitMs })
}

export function sign(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

async function exchange(
  deps: KindDeps,
  url: string,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<{ status: number; headers: Record<string, string> }> {
  try {
    const waitMs = deps.waitMs ?? MAX_REQUEST_MS
    const response = await requestOnce(deps, { method: 'POST', url, headers, body, waitMs, signal })
    const bodyMs = Math.min(waitMs, MAX_BODY_MS)
    // The status decides; a body that fails does not undo it.
    await response.body.dump({ limit: MAX_BODY_BYTES, signal: AbortSignal.timeout(bodyMs) }).catch(() => {})
    return response
  } catch (error) {
    throw new DeliveryError('retry', `The receiver cannot be reached: ${explain(error)}`, {
      cause: error,
    })
  }
}

async function test(post: (id: string, body: string) => Promise<void>, nowMs: number): Promise<Finding[]> {
  try {
    await post(
      `msg_test_${randomBytes(6).toString('hex')}`,
      JSON.stringify({ type: 'test', timestamp: new Date(nowMs).toISOString(), data: {} }),
    )
    return [{ check: 'post', ok: true, detail: 'the receiver accepted a test message' }]
  } catch (error) {
    return [{ check: 'post', ok: false, detail: reasonOf(error) }]
  }
}
