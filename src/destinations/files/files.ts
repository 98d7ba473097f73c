import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { ApiError, invalidInput } from '#model/errors.ts'
import { firstOf, lastOf } from '#platform/formats/list-ends.ts'
import { changeText } from '../change-text.ts'
import { checkpointOf } from '../checkpoint.ts'
import {
  type Batch,
  type Checkpoint,
  CheckpointDiffers,
  type Connection,
  DeliveryError,
  type Erasure,
  type Finding,
  type Kind,
  type KindDeps,
  type NetworkHost,
} from '../contract.ts'
import { countRemovals } from '../count-removals.ts'
import { explain, withDeliveryErrors } from '../driver-errors.ts'
import { storedOptions } from '../options.ts'
import { folderOf, folderStore } from './folder-store.ts'
import type { ObjectStore } from './object-store.ts'
import { parquetOf } from './parquet.ts'
import { s3Address, s3Store } from './s3-store.ts'

const FORMATS = ['ndjson', 'parquet'] as const
type Format = (typeof FORMATS)[number]
const MEDIA_TYPES: Record<Format, string> = {
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
}
const options = z.strictObject({
  format: z
    .enum(FORMATS, { error: `must be ${FORMATS.join(' or ')}` })
    .default('ndjson')
    .describe('`ndjson` (the changes of the webhook, one per line) or `parquet`'),
})
const VERSION = 1
const CONCURRENT_REMOVALS = 8
const PAGE_SIZE = 1000
/** `test` only checks that listing is allowed. */
const TEST_PAGE_SIZE = 10
/** Limit: milliseconds for one erasure or drop. Then it fails, and the next attempt continues. */
const MAX_REMOVE_MS = 50_000

interface StoreAddress {
  host: NetworkHost | undefined
  open: (deps: KindDeps) => ObjectStore
}

/**
 * Changes as files, one per batch: `DESTINATION/PROFILE/FIRST-LAST.ndjson`. The same batch has the same name, so a repetition
 * replaces it. Of the rows of an item, the one with the greatest `seq` is current. `_profiles/` has the checkpoint of each
 * profile, `_erased/` the fences of erased ones.
 */
export function files(filesDir: string | undefined): Kind {
  /** Checks the address and returns its host, if it has one, and a function that opens it. */
  const storeOf = (text: string, appId: string): StoreAddress => {
    const url = URL.parse(text)
    if (url?.protocol === 'file:') {
      const { folder, allowed } = folderOf(url, filesDir, appId)
      return { host: undefined, open: () => folderStore(folder, allowed) }
    }
    if (url?.protocol === 's3:') {
      const address = s3Address(url)
      const { hostname, protocol } = new URL(address.origin)
      return {
        host: { host: hostname, wantsPlain: protocol === 'http:' },
        open: (deps) => s3Store(deps, address),
      }
    }
    throw invalidInput('bad_body', 'url', 'must look like file:///folder or s3://key:secret@host/bucket/prefix.')
  }
  return {
    options,
    takesEvents: false,
    takesUnknownDeletes: false,
    checkAddress: (url, appId) => storeOf(url, appId).host,
    open: (deps, { id, appId, options: stored }, { url }) => {
      try {
        return openFiles(deps, storeOf(url, appId).open(deps), id, storedOptions(options, stored).format)
      } catch (error) {
        // The address was allowed when it was set, but the operator changed the folder since.
        if (error instanceof ApiError) return refusingConnection(error.message)
        throw error
      }
    },
  }
}

function refusingConnection(why: string): Connection {
  const refuse = () => Promise.reject(new DeliveryError('retry', why))
  return {
    prepare: refuse,
    test: async () => [{ check: 'write', ok: false, detail: why }],
    write: refuse,
    erase: refuse,
    drop: refuse,
    close: async () => {},
  }
}

function openFiles(deps: KindDeps, store: ObjectStore, root: string, format: Format): Connection {
  const withRetry = <Result>(work: () => Promise<Result>) => withDeliveryErrors(() => 'retry', work)
  const putJson = (name: string, document: unknown) =>
    store.put(name, Buffer.from(`${JSON.stringify(document)}\n`), 'application/json')
  const checkpointName = (profileId: string) => `${root}/_profiles/${profileId}.json`
  const fenceName = (profileId: string) => `${root}/_erased/${profileId}.json`

  /** The checkpoint is read before and written after the rows: without transactions, the order keeps them consistent. */
  async function expectCheckpoint({ profileId, from, epoch }: Pick<Batch, 'from'> & Erasure): Promise<void> {
    const text = await store.get(checkpointName(profileId))
    const checkpoint = text === undefined ? undefined : checkpointIn(text)
    if ((checkpoint?.epoch ?? 0) > epoch || (checkpoint?.seq ?? 0) < from) throw new CheckpointDiffers(checkpoint)
  }

  /** Removes names while they are listed: one page is in memory, and a second attempt has less to do. */
  async function removeAll(prefix: string, removed: () => void = () => {}): Promise<void> {
    const untilMs = performance.now() + MAX_REMOVE_MS
    for await (const names of store.pages(prefix, PAGE_SIZE)) {
      for (let done = 0; done < names.length; done += CONCURRENT_REMOVALS) {
        if (performance.now() > untilMs)
          throw new DeliveryError(
            'retry',
            'There was not enough time to remove everything; the next attempt continues.',
          )
        // All of them end before a failure is reported, so that the count is right.
        const ends = await Promise.allSettled(
          names.slice(done, done + CONCURRENT_REMOVALS).map((name) => store.remove(name).then(removed)),
        )
        for (const end of ends) if (end.status === 'rejected') throw end.reason
      }
      if (performance.now() > untilMs)
        throw new DeliveryError('retry', 'Listing took too long; the next attempt continues.')
    }
  }

  /** Removes the rows and leaves a fence without personal data: a run that lost its lease must not write them again. */
  async function removeProfile(profileId: string, epoch: number): Promise<void> {
    const fence = { profile: { id: profileId }, seq: -1, epoch, updated_at: deps.clock.now() }
    await putJson(checkpointName(profileId), fence)
    await removeAll(`${root}/${profileId}/`)
  }

  return {
    prepare: () =>
      withRetry(() =>
        putJson(`${root}/_manifest.json`, {
          version: VERSION,
          format,
          rows: 'PROFILE/FIRST-LAST',
          profiles: '_profiles/PROFILE.json',
        }),
      ),
    test: () => test(store, root),
    write: (batch) =>
      withRetry(async () => {
        const { profile, rows, upTo, epoch } = batch
        await expectCheckpoint({ ...batch, profileId: profile.id })
        if (rows.length > 0) await store.put(nameOf(root, batch, format), bodyOf(batch, format), MEDIA_TYPES[format])
        await putJson(checkpointName(profile.id), { profile, seq: upTo, epoch, updated_at: deps.clock.now() })
        // Erased during this write: the last writer removes everything again.
        const fence = await store.get(fenceName(profile.id))
        if (fence === undefined) return
        const checkpoint = checkpointIn(fence)
        await removeProfile(profile.id, checkpoint.epoch)
        throw new CheckpointDiffers(checkpoint)
      }),
    erase: (erasure) =>
      withRetry(async () => {
        const { profileId, epoch } = erasure
        await expectCheckpoint({ ...erasure, from: -1 })
        await putJson(fenceName(profileId), { seq: -1, epoch, updated_at: deps.clock.now() })
        await removeProfile(profileId, epoch)
      }),
    drop: () => countRemovals('objects', (removed) => withRetry(() => removeAll(`${root}/`, removed))),
    close: async () => store.close(),
  }
}

function nameOf(root: string, { profile, rows }: Batch, format: Format): string {
  // Padded, so that names sort like their numbers.
  const [first, last] = [firstOf(rows).seq, lastOf(rows).seq].map((seq) => String(seq).padStart(16, '0'))
  return `${root}/${profile.id}/${first}-${last}.${format}`
}

function bodyOf({ rows }: Batch, format: Format): Uint8Array {
  if (format === 'parquet') return parquetOf(rows)
  return Buffer.from(rows.map((row) => `${changeText(row)}\n`).join(''))
}

function checkpointIn(text: string): Checkpoint {
  const document: unknown = JSON.parse(text)
  const {
    seq,
    epoch,
    updated_at: updatedAtMs,
  }: Record<string, unknown> = typeof document === 'object' && document !== null ? { ...document } : {}
  return checkpointOf({ seq, epoch, updatedAtMs })
}

async function test(store: ObjectStore, root: string): Promise<Finding[]> {
  const name = `${root}/_test/${randomUUID()}`
  const findings: Finding[] = []
  const steps: [check: string, detail: string, work: () => Promise<unknown>][] = [
    ['write', 'may write objects', () => store.put(name, Buffer.from('test\n'), 'text/plain')],
    ['read', 'may read them back', () => store.get(name)],
    ['list', 'may list them', () => firstPage(store, `${root}/_test/`)],
    ['remove', 'may remove them; nothing was left behind', () => store.remove(name)],
  ]
  for (const [check, detail, work] of steps) {
    try {
      await work()
      findings.push({ check, ok: true, detail })
    } catch (error) {
      findings.push({ check, ok: false, detail: explain(error) })
      // Without an object there is nothing to read or remove.
      if (check === 'write') break
    }
  }
  return findings
}

async function firstPage(store: ObjectStore, prefix: string): Promise<void> {
  for await (const _ of store.pages(prefix, TEST_PAGE_SIZE)) return
}
