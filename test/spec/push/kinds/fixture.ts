import { randomBytes } from 'node:crypto'
import type { Connection, Kind, KindDeps } from '#destinations/contract.ts'
import { createKinds } from '#destinations/kinds.ts'
import { checkOptions } from '#flows/push/manage/destination-options.ts'
import type { Destination, DestinationKind, DestinationSecrets, PutRow } from '#model/destination.ts'
import { createEgress } from '#platform/egress/guard.ts'
import { LOOPBACK_RANGES } from '../../../harness/loopback.ts'

/** An item as it is to be found at the destination; `undefined` where the kind keeps no such thing. */
export interface Arrived {
  profile: string
  id: string
  seq: number
  tombstones: boolean
  nativeId: string
  /** The text of the document, or what the destination made of it. */
  data: string | undefined
  types: string[] | undefined
  participants: string[] | undefined
}

/** A real destination of its own for one test, and eyes to look into it. */
export interface Place {
  url: string
  options?: Record<string, unknown>
  signing?: string[]
  /** The newest of each item. */
  read: () => Promise<Arrived[]>
  /** Everything that lies there, as one comparable text: rows, objects, messages. */
  everything: () => Promise<string>
  /** How many things lie there that prepare() or a test might have left. */
  traces: () => Promise<string[]>
  /** In the order of arrival, where the kind has one. */
  order?: () => Promise<string[]>
  /** Which run said what of a profile, in the order of arrival, where the destination cannot tell them apart itself. */
  runs?: (profile: string) => Promise<string[]>
  /** Cuts the connection once so many more bytes went through. */
  cutAfter?: (bytes: number) => void
  wasCut?: () => boolean
  close: () => Promise<void>
}

export interface Fixture {
  name: string
  kind: DestinationKind
  /** Why it cannot run here; false when it can. */
  skip: string | false
  /** Keeps a checkpoint, so that an older run can be told. */
  fences: boolean
  /** Goes over a line that can be cut in the middle. */
  hasLine: boolean
  /** All or nothing: rows and checkpoint in one transaction. */
  atomic: boolean
  open: () => Promise<Place>
  /** A row that this destination never takes, and others do. */
  poison?: (row: PutRow) => PutRow
  /** It says which row of a batch that one is. */
  namesPoison?: boolean
  /** Addresses that do not work, with words that the finding must say. */
  wrong: (place: Place) => Promise<{ what: string; url: string; says: RegExp; skip?: string | false }[]>
}

export const deps: KindDeps & { close: () => Promise<void> } = (() => {
  const egress = createEgress({ allowPrivate: LOOPBACK_RANGES })
  return { egress, clock: { now: () => Date.now() }, close: () => egress.close() }
})()

export const fresh = (prefix: string) => `${prefix}_${randomBytes(5).toString('hex')}`

export function destinationOf(kind: DestinationKind, options: Record<string, unknown> = {}): Destination {
  return {
    id: `dst_${randomBytes(8).toString('hex')}`,
    appId: 'app',
    name: 'test',
    kind,
    filter: ['*'],
    schedule: 'on_change',
    options,
    state: 'active',
    lastError: undefined,
    fails: 0,
    failingSince: undefined,
    nextAttemptAt: 0,
    createdAt: 0,
    updatedAt: 0,
  } as Destination
}

/** Opens a place as the service would: by its address, after the kind has looked at it. */
export function openDestination(
  fixture: Pick<Fixture, 'kind'>,
  place: Place,
  filesDir: string | undefined,
): { destination: Destination; kind: Kind; connection: Connection; again: () => Connection } {
  const kind = createKinds({ filesDir })[fixture.kind]
  const destination = destinationOf(fixture.kind, place.options)
  const secrets: DestinationSecrets = {
    url: place.url,
    ...(place.signing === undefined ? {} : { signing: place.signing }),
  }
  kind.checkAddress(place.url, destination.appId)
  checkOptions(fixture.kind, kind, destination.options)
  const again = () => kind.open(deps, destination, secrets)
  return { destination, kind, connection: again(), again }
}

/** What a log of changes comes to: of each item the newest, and nothing of who was erased. */
export function foldChanges(changes: Record<string, unknown>[]): Arrived[] {
  const newest = new Map<string, Record<string, unknown>>()
  for (const change of changes) {
    if (change['op'] === 'erase') {
      for (const [key, each] of newest) if (each['profile'] === change['profile']) newest.delete(key)
      continue
    }
    if (change['op'] === 'profile') continue
    const key = `${String(change['profile'])}/${String(change['id'])}`
    const other = newest.get(key)
    if (other === undefined || Number(other['seq']) <= Number(change['seq'])) newest.set(key, change)
  }
  return [...newest.values()].map((change) => ({
    profile: String(change['profile']),
    id: String(change['id']),
    seq: Number(change['seq']),
    tombstones: change['op'] === 'delete',
    nativeId: String(change['native_id']),
    data: change['data'] as string | undefined,
    types: change['types'] as string[] | undefined,
    participants: (change['participants'] as string[] | undefined) ?? [],
  }))
}

/** A change as it was sent, with its document as the very text it came as. */
export function readChange(line: string): Record<string, unknown> {
  const change = JSON.parse(line) as Record<string, unknown>
  const at = line.indexOf(',"data":')
  return at < 0 ? change : { ...change, data: line.slice(at + 8, -1) }
}
