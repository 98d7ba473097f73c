import { DeliveryError, type FoundRow, type Reading } from '#destinations/contract.ts'
import type { Destination, PutRow } from '#model/destination.ts'
import { ApiError } from '#model/errors.ts'
import { lastOf } from '#platform/list-ends.ts'
import { auditDestination } from '#store/audit.ts'
import { findDuplicate, findProfile } from '#store/identity/profiles.ts'
import { itemsAfterId, itemsById, tombstonesAmong } from '#store/items/changes.ts'
import { type CursorPosition, nextCursor, rewindCursors } from '#store/push/cursors.ts'
import { deadLettersAfter } from '#store/push/deliveries.ts'
import { rowsOf } from '../deliver/batch.ts'
import { secretsOf } from '../deliver/run.ts'
import { type Source, wantedOf } from '../deliver/source.ts'
import type { DeliverDeps } from '../deps.ts'
import { type Filter, filterOf, pathsFor } from '../filter.ts'

const PAGE = 200

export interface Verified {
  profiles: number
  /** Compared. */
  rows: number
  missing: number
  different: number
  /** There, and neither in our store nor wanted by the filter. */
  extra: number
  /** Profiles that are delivered again from their first wrong row. */
  repaired: number
  /** Where to go on, when time was up. */
  next: string | undefined
}

/** Compares what is at a destination with our store, row by row, and puts right what differs. What is still on its way is left out. */
export async function verifyDestination(
  deps: DeliverDeps,
  destination: Destination,
  { repair, after, untilMs }: { repair: boolean; after?: string | undefined; untilMs: number },
  actor: string,
): Promise<Verified> {
  const secrets = await secretsOf(deps, destination)
  const filter = filterOf(deps, destination)
  const verified: Verified = { profiles: 0, rows: 0, missing: 0, different: 0, extra: 0, repaired: 0, next: undefined }
  try {
    await deps.connections.use(destination, secrets, async ({ reading }) => {
      if (reading === undefined)
        throw new ApiError('bad_request', `A ${destination.kind} destination cannot be read, so it cannot be compared.`)
      for (let position = positionOf(after); ; ) {
        const cursor = await nextCursor(deps.database, destination.id, position)
        if (cursor === undefined) return
        const from = cursor.profileId === position.profileId ? position : beginningOf(cursor)
        const reached = await verifyProfile(deps, reading, filter, cursor, from, { repair, untilMs }, verified)
        position = reached ?? { ...beginningOf(cursor), isDone: true }
        if (deps.clock.now() < untilMs && position.isDone) continue
        verified.next = nameOf(position)
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

/** How far a comparison is. */
interface VerifyPosition {
  profileId: string
  isDone: boolean
  /** The last one that was compared. */
  itemId: string
  /** What had been delivered when the profile was begun: a repair on the way sets the cursor back. */
  seq: number
}

function beginningOf({ profileId, seq }: CursorPosition): VerifyPosition {
  return { profileId, isDone: false, itemId: '', seq }
}

function nameOf({ profileId, isDone, itemId, seq }: VerifyPosition): string {
  return isDone ? profileId : `${profileId}.${itemId}.${seq}`
}

function positionOf(name = ''): VerifyPosition {
  const [profileId = '', itemId = '', seq = ''] = name.split('.')
  if (itemId === '') return { profileId, isDone: true, itemId, seq: 0 }
  if (!/^[0-9a-f]{32}$/.test(itemId) || !/^\d{1,15}$/.test(seq))
    throw new ApiError('bad_body', 'after: is no place that was given.')
  return { profileId, isDone: false, itemId, seq: Number(seq) }
}

/** Undefined when all of it is compared; else how far, when time was up. A page is always done, so that it goes on. */
async function verifyProfile(
  deps: DeliverDeps,
  reading: Reading,
  filter: Filter,
  found: CursorPosition,
  from: VerifyPosition,
  { repair, untilMs }: { repair: boolean; untilMs: number },
  verified: Verified,
): Promise<VerifyPosition | undefined> {
  const cursor = { ...found, seq: from.seq }
  const profile = await findProfile(deps.database, cursor.shard, cursor.profileId)
  if (profile === undefined) return undefined
  const source = { profile, paths: pathsFor(filter, profile), duplicate: await findDuplicate(deps.database, profile) }
  const aside = await setAside(deps, cursor)
  let reached: VerifyPosition | undefined
  let firstWrong = Number.POSITIVE_INFINITY
  const again = () =>
    rewindCursors(deps.database, cursor.destinationId, firstWrong - 1, deps.clock.now(), cursor.profileId)
  for (let after = from.itemId; ; ) {
    const items = await itemsAfterId(deps.database, cursor, after, PAGE)
    const rows = (await rowsFor(deps, source, items)).filter(
      ({ id, seq }) => seq <= cursor.seq && !aside.has(id.slice(0, 32)),
    )
    const upTo = items.length < PAGE ? undefined : `${lastOf(items).id}~`
    const found = await reading.compare(cursor.profileId, { after: `${after}~`.replace(/^~$/, ''), upTo }, rows)
    const sure = await certain(deps, cursor, source, rows, found)
    verified.rows += rows.length
    for (const { there, row } of sure.wrong) {
      if (there.seq === undefined) verified.missing += 1
      else verified.different += 1
      firstWrong = Math.min(firstWrong, row.seq)
    }
    verified.extra += sure.extra.length
    // A row with a greater number would refuse what is right, and what should not be there is told by nobody.
    const tooNew = sure.wrong.filter(({ there, row }) => (there.seq ?? 0) > row.seq).map(({ there }) => there)
    if (repair && sure.extra.length + tooNew.length > 0)
      await reading.remove(cursor.profileId, [...sure.extra, ...tooNew])
    // Not when all is compared: whoever is killed before that must not leave a gap where a row was taken out.
    if (repair && tooNew.length > 0) await again()
    if (upTo === undefined) break
    after = lastOf(items).id
    if (deps.clock.now() < untilMs) continue
    reached = { ...from, itemId: after }
    break
  }
  if (reached === undefined) verified.profiles += 1
  if (repair && firstWrong < Number.POSITIVE_INFINITY) {
    await again()
    verified.repaired += 1
  }
  return reached
}

async function rowsFor(deps: DeliverDeps, source: Source, items: Parameters<typeof wantedOf>[2]): Promise<PutRow[]> {
  const wanted = await wantedOf(deps, source, items)
  return rowsOf(deps.registry, source.profile, { items, tombstones: [] }, wanted, () => false).filter(
    (row) => row.op === 'put',
  )
}

/** What changed or came between the two looks is no difference. */
async function certain(
  deps: DeliverDeps,
  cursor: CursorPosition,
  source: Source,
  rows: PutRow[],
  { wrong, extra }: { wrong: FoundRow[]; extra: FoundRow[] },
): Promise<{ wrong: { there: FoundRow; row: PutRow }[]; extra: FoundRow[] }> {
  if (wrong.length + extra.length === 0) return { wrong: [], extra: [] }
  const ids = [...wrong, ...extra].map(({ id }) => id.slice(0, 32))
  const items = await itemsById(deps.database, cursor, ids)
  const now = new Map((await rowsFor(deps, source, items)).map((row) => [row.id, row]))
  const going = new Set([
    ...items.filter(({ seq }) => seq > cursor.seq).map(({ id }) => id),
    ...(await tombstonesAmong(deps.database, cursor, ids, cursor.seq)),
  ])
  const before = new Map(rows.map((row) => [row.id, row]))
  return {
    wrong: wrong.flatMap((there) => {
      const row = before.get(there.id)
      return row !== undefined && now.get(there.id)?.seq === row.seq ? [{ there, row }] : []
    }),
    extra: extra.filter(({ id }) => !now.has(id) && !going.has(id.slice(0, 32))),
  }
}

async function setAside(deps: DeliverDeps, cursor: CursorPosition): Promise<Set<string>> {
  const ids = new Set<string>()
  for (let after: string | undefined; ; ) {
    const deadLetters = await deadLettersAfter(deps.database, cursor, after, 1000)
    for (const { itemId } of deadLetters) ids.add(itemId)
    if (deadLetters.length < 1000) return ids
    after = lastOf(deadLetters).itemId
  }
}
