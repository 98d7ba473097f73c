import { DeliveryError, type FoundRow, type Verifier } from '#destinations/contract.ts'
import type { Destination, PutRow } from '#model/apps/destination.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import { lastOf } from '#platform/formats/list-ends.ts'
import { auditDestination } from '#store/audit.ts'
import { type ChangedItem, itemsAfterId, itemsById, tombstonesAmong } from '#store/items/changes.ts'
import { type CursorPosition, nextCursor } from '#store/push/cursors.ts'
import { deadLettersAfter } from '#store/push/deliveries.ts'
import { rewindCursors } from '#store/push/destination-cursors.ts'
import { rowsOf } from '../delivery-rows.ts'
import type { DeliverDeps } from '../deps.ts'
import { type Filter, filterOf, wantedItems } from '../filter.ts'
import { findSource, type ProfileSource } from '../profile-source.ts'
import { openDeliverySecrets } from '../secrets.ts'

const PAGE_SIZE = 200

/** The result of a comparison. */
export interface Verified {
  profiles: number
  /** Rows that were compared. */
  rows: number
  missing: number
  different: number
  /** At the destination, but not in our database or not matched by the filter. */
  extra: number
  /** Profiles that are delivered again from their first wrong row. */
  repaired: number
  /** Where to continue, when the time was not enough. */
  next: string | undefined
}

/**
 * Compares the rows of a destination with our database and, with `repair`, corrects them. Changes that are not delivered yet
 * are left out.
 */
export async function verifyDestination(
  deps: DeliverDeps,
  destination: Destination,
  { repair, after, untilMs }: { repair: boolean; after?: string | undefined; untilMs: number },
  actor: string,
): Promise<Verified> {
  const secrets = await openDeliverySecrets(deps, destination)
  const filter = filterOf(deps, destination)
  const verified: Verified = { profiles: 0, rows: 0, missing: 0, different: 0, extra: 0, repaired: 0, next: undefined }
  try {
    await deps.connections.use(destination, secrets, async ({ verifier }) => {
      if (verifier === undefined)
        throw new ApiError('bad_request', `A ${destination.kind} destination cannot be read, so it cannot be compared.`)
      for (let position = parsePosition(after); ; ) {
        const cursor = await nextCursor(deps.database, destination.id, position)
        if (cursor === undefined) return
        const from = cursor.profileId === position.profileId ? position : startOf(cursor)
        const reached = await verifyProfile(deps, verifier, filter, cursor, from, { repair, untilMs }, verified)
        position = reached ?? { ...startOf(cursor), isDone: true }
        if (deps.clock.now() < untilMs && position.isDone) continue
        verified.next = formatPosition(position)
        return
      }
    })
  } catch (error) {
    if (error instanceof DeliveryError) throw new ApiError('destination_failed', error.message)
    throw error
  }
  if (repair)
    await deps.database.transaction((tx) =>
      auditDestination(tx, destination, {
        at: deps.clock.now(),
        actor,
        action: 'push.repair',
        detail: { ...verified },
      }),
    )
  return verified
}

/** How far a comparison has come. */
interface VerifyPosition {
  profileId: string
  isDone: boolean
  /** The last item that was compared. */
  itemId: string
  /** The cursor when the comparison of the profile started; a repair in between rewinds the cursor itself. */
  seq: number
}

function startOf({ profileId, seq }: CursorPosition): VerifyPosition {
  return { profileId, isDone: false, itemId: '', seq }
}

function formatPosition({ profileId, isDone, itemId, seq }: VerifyPosition): string {
  return isDone ? profileId : `${profileId}.${itemId}.${seq}`
}

function parsePosition(text = ''): VerifyPosition {
  const [profileId = '', itemId = '', seq = ''] = text.split('.')
  if (itemId === '') return { profileId, isDone: true, itemId, seq: 0 }
  if (!/^[0-9a-f]{32}$/.test(itemId) || !/^\d{1,15}$/.test(seq))
    throw invalidInput('bad_body', 'after', 'must be the `next` of an earlier response.')
  return { profileId, isDone: false, itemId, seq: Number(seq) }
}

/**
 * Undefined when the whole profile is compared; otherwise how far the comparison came until `untilMs`. At least one page is
 * compared, so that every call makes progress.
 */
async function verifyProfile(
  deps: DeliverDeps,
  verifier: Verifier,
  filter: Filter,
  found: CursorPosition,
  from: VerifyPosition,
  { repair, untilMs }: { repair: boolean; untilMs: number },
  verified: Verified,
): Promise<VerifyPosition | undefined> {
  const cursor = { ...found, seq: from.seq }
  const source = await findSource(deps, filter, cursor)
  if (source === undefined) return undefined
  const deadLetters = await deadLetterIds(deps, cursor)
  let reached: VerifyPosition | undefined
  let firstWrong = Number.POSITIVE_INFINITY
  const redeliver = () =>
    rewindCursors(deps.database, cursor.destinationId, { seq: firstWrong - 1 }, deps.clock.now(), cursor.profileId)
  for (let after = from.itemId; ; ) {
    const { items, last } = await itemsAfterId(deps.database, source.readable, after, PAGE_SIZE)
    const rows = (await expectedRows(deps, source, items)).filter(
      ({ id, seq }) => seq <= cursor.seq && !deadLetters.has(id.slice(0, 32)),
    )
    const upTo = last === undefined ? undefined : `${last}~`
    const found = await verifier.compare(cursor.profileId, { after: `${after}~`.replace(/^~$/, ''), upTo }, rows)
    const confirmed = await confirmDifferences(deps, cursor, source, rows, found)
    verified.rows += rows.length
    for (const { there, row } of confirmed.wrong) {
      if (there.seq === undefined) verified.missing += 1
      else verified.different += 1
      firstWrong = Math.min(firstWrong, row.seq)
    }
    verified.extra += confirmed.extra.length
    // Redelivery cannot replace a row with a greater number, and no change deletes an extra row: both are removed here.
    const tooNew = confirmed.wrong.filter(({ there, row }) => (there.seq ?? 0) > row.seq).map(({ there }) => there)
    if (repair && confirmed.extra.length + tooNew.length > 0)
      await verifier.remove(cursor.profileId, [...confirmed.extra, ...tooNew])
    // Not only at the end: if this process is killed before that, a removed row must still be delivered again.
    if (repair && tooNew.length > 0) await redeliver()
    if (last === undefined) break
    after = last
    if (deps.clock.now() < untilMs) continue
    reached = { ...from, itemId: after }
    break
  }
  if (reached === undefined) verified.profiles += 1
  if (repair && firstWrong < Number.POSITIVE_INFINITY) {
    await redeliver()
    verified.repaired += 1
  }
  return reached
}

/** The rows that the destination should have for these items. */
async function expectedRows(deps: DeliverDeps, source: ProfileSource, items: ChangedItem[]): Promise<PutRow[]> {
  const wanted = await wantedItems(deps, source, items)
  return rowsOf(deps.registry, source.profile, { items, tombstones: [] }, wanted, () => false).filter(
    (row) => row.op === 'put',
  )
}

/** Leaves out differences that are only changes between reading our rows and reading theirs. */
async function confirmDifferences(
  deps: DeliverDeps,
  cursor: CursorPosition,
  source: ProfileSource,
  rows: PutRow[],
  { wrong, extra }: { wrong: FoundRow[]; extra: FoundRow[] },
): Promise<{ wrong: { there: FoundRow; row: PutRow }[]; extra: FoundRow[] }> {
  if (wrong.length + extra.length === 0) return { wrong: [], extra: [] }
  const ids = [...wrong, ...extra].map(({ id }) => id.slice(0, 32))
  const { items, hidden } = await itemsById(deps.database, source.readable, ids)
  const now = new Map((await expectedRows(deps, source, items)).map((row) => [row.id, row]))
  const undelivered = new Set([
    ...[...items, ...hidden].filter(({ seq }) => seq > cursor.seq).map(({ id }) => id),
    ...(await tombstonesAmong(deps.database, cursor, ids, cursor.seq)),
  ])
  const before = new Map(rows.map((row) => [row.id, row]))
  return {
    wrong: wrong.flatMap((there) => {
      const row = before.get(there.id)
      return row !== undefined && now.get(there.id)?.seq === row.seq ? [{ there, row }] : []
    }),
    extra: extra.filter(({ id }) => !now.has(id) && !undelivered.has(id.slice(0, 32))),
  }
}

async function deadLetterIds(deps: DeliverDeps, cursor: CursorPosition): Promise<Set<string>> {
  const ids = new Set<string>()
  for (let after: string | undefined; ; ) {
    const deadLetters = await deadLettersAfter(deps.database, cursor, after, 1000)
    for (const { itemId } of deadLetters) ids.add(itemId)
    if (deadLetters.length < 1000) return ids
    after = lastOf(deadLetters).itemId
  }
}
