import { randomBytes } from 'node:crypto'
import type { Connection, Kind, KindDeps } from '#destinations/contract.ts'
import { createKinds } from '#destinations/kinds.ts'
import { checkOptions } from '#flows/push/manage/destination-options.ts'
import type { Destination, DestinationKind, DestinationSecrets, PutRow } from '#model/apps/destination.ts'
import { createEgress, type Egress } from '#platform/egress/guard.ts'
import { LOOPBACK_RANGES } from '../../../harness/loopback.ts'

/** An item as it is stored at the destination; fields that the kind does not store are undefined. */
export interface Arrived {
  profile: string
  id: string
  seq: number
  isDeleted: boolean
  nativeId: string
  /** The document as text, as the destination returns it. */
  data: string | undefined
  types: string[] | undefined
  participants: string[] | undefined
}

/** A real destination for one test, and methods to inspect it. */
export interface Target {
  url: string
  options?: Record<string, unknown>
  signing?: string[]
  /** The newest row of each item. */
  read: () => Promise<Arrived[]>
  /** All rows, objects or messages as one comparable text. */
  everything: () => Promise<string>
  /** Names of tables, objects or streams that prepare() or test() may have left. */
  traces: () => Promise<string[]>
  /** Changes in order of arrival, where the kind has one. */
  order?: () => Promise<string[]>
  /** Changes of a profile with the run that sent them, in order of arrival, where the receiver must compare runs itself. */
  runs?: (profile: string) => Promise<string[]>
  /** Closes the connection after this many more bytes. */
  cutAfter?: (bytes: number) => void
  wasCut?: () => boolean
  close: () => Promise<void>
}

export interface Fixture {
  name: string
  kind: DestinationKind
  /** Why it cannot run on this machine; false when it can. */
  skip: string | false
  /** Stores a checkpoint, so that older runs are refused. */
  fences: boolean
  /** Uses a connection that can be closed in the middle of a write. */
  canBeCut: boolean
  /** Writes rows and checkpoint in one transaction. */
  atomic: boolean
  open: () => Promise<Target>
  /** A row that this kind rejects and others accept. */
  poison?: (row: PutRow) => PutRow
  /** Whether the error names that row. */
  namesPoison?: boolean
  /** Addresses that do not work, with the expected error. */
  wrong: (target: Target) => Promise<{ what: string; url: string; says: RegExp; skip?: string | false }[]>
}

/** Opened when it is used, also after it was closed: each test file of a process closes it at its end. */
export const deps: KindDeps & { close: () => Promise<void> } = (() => {
  let opened: Egress | undefined
  return {
    get egress() {
      return (opened ??= createEgress({ allowPrivate: LOOPBACK_RANGES }))
    },
    clock: { now: () => Date.now() },
    close: async () => {
      const closing = opened
      opened = undefined
      await closing?.close()
    },
  }
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

/** Opens a connection as the service does, after address and options are checked. */
export function openTarget(
  fixture: Pick<Fixture, 'kind'>,
  target: Target,
  filesDir: string | undefined,
): { destination: Destination; kind: Kind; connection: Connection; again: () => Connection } {
  const kind = createKinds({ filesDir })[fixture.kind]
  const destination = destinationOf(fixture.kind, target.options)
  const secrets: DestinationSecrets = {
    url: target.url,
    ...(target.signing === undefined ? {} : { signing: target.signing }),
  }
  kind.checkAddress(target.url, destination.appId)
  checkOptions(fixture.kind, kind, destination.options)
  const again = () => kind.open(deps, destination, secrets)
  return { destination, kind, connection: again(), again }
}

/** The result of a log of changes: the newest row of each item, without erased profiles. */
export function applyChanges(changes: Record<string, unknown>[]): Arrived[] {
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
    isDeleted: change['op'] === 'delete',
    nativeId: String(change['native_id']),
    data: change['data'] as string | undefined,
    types: change['types'] as string[] | undefined,
    participants: (change['participants'] as string[] | undefined) ?? [],
  }))
}

/** A change as it was sent, with its document as the original text. */
export function readChange(line: string): Record<string, unknown> {
  const change = JSON.parse(line) as Record<string, unknown>
  const at = line.indexOf(',"data":')
  return at < 0 ? change : { ...change, data: line.slice(at + 8, -1) }
}
