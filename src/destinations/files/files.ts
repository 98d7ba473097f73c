import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { ApiError } from '#model/errors.ts'
import { firstOf, lastOf } from '#platform/list-ends.ts'
import { changeText } from '../change-text.ts'
import { checkedCheckpoint } from '../checked-checkpoint.ts'
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
} from '../contract.ts'
import { explain, failing } from '../failure.ts'
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
const REMOVE_AT_ONCE = 8
const PAGE = 1000
/** `test` only wants to know that listing is allowed. */
const TEST_PAGE = 10
/** Limit: milliseconds that one removal (an erasure, a drop) lists and removes. Then it failed, and goes on when tried again. */
const MAX_REMOVE_MS = 50_000

/**
 * Changes as files, one per batch: `DESTINATION/PROFILE/FIRST-LAST.ndjson`. The same batch has the same name, so repetition
 * replaces. Of the rows of an item the one with the largest `seq` counts. `_profiles/` says how far each profile is, `_erased/` who is
 * gone for good.
 */
export function files(filesDir: string | undefined): Kind {
  /** Looks at the address, and gives what opens it. */
  const storeOf = (text: string, appId: string): ((deps: KindDeps) => ObjectStore) => {
    const url = URL.parse(text)
    if (url?.protocol === 'file:') {
      const { folder, allowed } = folderOf(url, filesDir, appId)
      return () => folderStore(folder, allowed)
    }
    if (url?.protocol === 's3:') {
      const address = s3Address(url)
      return (deps) => s3Store(deps, address)
    }
    throw new ApiError('bad_body', 'url: must look like file:///folder or s3://key:secret@host/bucket/prefix.')
  }
  return {
    options,
    takesEvents: false,
    takesUnknownDeletes: false,
    checkAddress: (url, appId) => void storeOf(url, appId),
    open: (deps, { id, appId, options: stored }, { url }) => {
      try {
        return openFiles(deps, storeOf(url, appId)(deps), id, storedOptions(options, stored).format)
      } catch (error) {
        // It was allowed when it was made: the operator set another folder since, or none.
        if (error instanceof ApiError) return unusable(error.message)
        throw error
      }
    },
  }
}

function unusable(why: string): Connection {
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
  const retrying = <Result>(work: () => Promise<Result>) => failing(() => 'retry', work)
  const putJson = (name: string, document: unknown) =>
    store.put(name, Buffer.from(`${JSON.stringify(document)}\n`), 'application/json')
  const stateName = (profileId: string) => `${root}/_profiles/${profileId}.json`
  const fenceName = (profileId: string) => `${root}/_erased/${profileId}.json`

  /** Read before and written after the rows: without transactions the order is what keeps them true. */
  async function expectState({ profileId, from, epoch }: Pick<Batch, 'from'> & Erasure): Promise<void> {
    const text = await store.get(stateName(profileId))
    const there = text === undefined ? undefined : checkpointIn(text)
    if ((there?.epoch ?? 0) > epoch || (there?.seq ?? 0) < from) throw new CheckpointDiffers(there)
  }

  /** Removed while they are listed, so that it holds one page, and that a second try has less to do. */
  async function removeAll(prefix: string): Promise<void> {
    const untilMs = performance.now() + MAX_REMOVE_MS
    for await (const names of store.pages(prefix, PAGE)) {
      for (let done = 0; done < names.length; done += REMOVE_AT_ONCE) {
        if (performance.now() > untilMs)
          throw new DeliveryError(
            'retry',
            'There is more to remove than could be removed in time; it goes on when tried again.',
          )
        await Promise.all(names.slice(done, done + REMOVE_AT_ONCE).map((name) => store.remove(name)))
      }
      if (performance.now() > untilMs)
        throw new DeliveryError('retry', 'Listing took too long; it goes on when tried again.')
    }
  }

  /** Rows, and a state that names nobody: a run that was overtaken must not bring anything back. */
  async function removeProfile(profileId: string, epoch: number): Promise<void> {
    const fence = { profile: { id: profileId }, seq: -1, epoch, updated_at: deps.clock.now() }
    await putJson(stateName(profileId), fence)
    await removeAll(`${root}/${profileId}/`)
  }

  return {
    prepare: () =>
      retrying(() =>
        putJson(`${root}/_manifest.json`, {
          version: VERSION,
          format,
          rows: 'PROFILE/FIRST-LAST',
          profiles: '_profiles/PROFILE.json',
        }),
      ),
    test: () => test(store, root),
    write: (batch) =>
      retrying(async () => {
        const { profile, rows, upTo, epoch } = batch
        await expectState({ ...batch, profileId: profile.id })
        if (rows.length > 0) await store.put(nameOf(root, batch, format), bodyOf(batch, format), MEDIA_TYPES[format])
        await putJson(stateName(profile.id), { profile, seq: upTo, epoch, updated_at: deps.clock.now() })
        // Erased while this was under way: whoever comes last takes everything out again.
        const fence = await store.get(fenceName(profile.id))
        if (fence === undefined) return
        const there = checkpointIn(fence)
        await removeProfile(profile.id, there.epoch)
        throw new CheckpointDiffers(there)
      }),
    erase: (erasure) =>
      retrying(async () => {
        const { profileId, epoch } = erasure
        await expectState({ ...erasure, from: -1 })
        await putJson(fenceName(profileId), { seq: -1, epoch, updated_at: deps.clock.now() })
        await removeProfile(profileId, epoch)
      }),
    drop: () => retrying(() => removeAll(`${root}/`)),
    close: async () => store.close(),
  }
}

function nameOf(root: string, { profile, rows }: Batch, format: Format): string {
  // Of one length, so that names sort as their numbers do.
  const [first, last] = [firstOf(rows).seq, lastOf(rows).seq].map((seq) => String(seq).padStart(16, '0'))
  return `${root}/${profile.id}/${first}-${last}.${format}`
}

function bodyOf({ rows }: Batch, format: Format): Uint8Array {
  if (format === 'parquet') return parquetOf(rows)
  return Buffer.from(rows.map((row) => `${changeText(row)}\n`).join(''))
}

function checkpointIn(text: string): Checkpoint {
  const state: unknown = JSON.parse(text)
  const {
    seq,
    epoch,
    updated_at: updatedAtMs,
  }: Record<string, unknown> = typeof state === 'object' && state !== null ? { ...state } : {}
  return checkedCheckpoint(seq, epoch, updatedAtMs)
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
      // Without a first object there is nothing to read or remove.
      if (check === 'write') break
    }
  }
  return findings
}

async function firstPage(store: ObjectStore, prefix: string): Promise<void> {
  for await (const _ of store.pages(prefix, TEST_PAGE)) return
}
