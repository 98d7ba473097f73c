import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { markNeedsAuth } from '#access/needs-auth.ts'
import { readKeyFile, writeKeyFile } from '#config/key-file.ts'
import type { Clock } from '#platform/clock.ts'
import { KEY_BYTES, type Keyring } from '#platform/crypto/sealing.ts'
import { SetupError } from '#platform/errors.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { acquireFileLock } from '#platform/waiting/file-lock.ts'
import { findProfile } from '#store/identity/profiles.ts'
import { findStale, hasStale, reseal, type UnreadableValue } from '#store/reseal.ts'
import { UpstreamError } from '#upstream/request/errors.ts'

export interface KeyringDeps {
  database: Database
  keyring: Keyring
  clock: Clock
  log: Log
  /** Undefined when the keys come from `TRIBUTARY_KEY`: then the operator adds the new key in front, and rotation only reseals. */
  keyFile: string | undefined
}

/** Running processes read the key file again at least this often. */
const KEY_REFRESH_MS = 60_000

/** How long to wait for another process that changes the keys. */
const LOCK_TIMEOUT_MS = 30_000

export type { UnreadableValue }

export interface Rotation {
  /** Whether this run created a key; otherwise it continued with the newest one. */
  newKey: boolean
  resealed: number
  /** Values that no key opens: left unchanged. Profiles with a damaged credential become `needs_auth`. */
  unreadable: UnreadableValue[]
}

export interface Pruning {
  dropped: number
  unreadable: UnreadableValue[]
}

/**
 * Creates a key and reseals everything with it. Running processes read the key file again when they meet a value sealed with an
 * unknown key. Until then they seal with the key they have, so an old key is dropped only when nothing needs it.
 */
export async function rotateKeyring(deps: KeyringDeps, progress: (done: number) => void): Promise<Rotation> {
  return withKeyLock(deps, async () => {
    deps.keyring.refresh()
    const newKey = !(await hasStale(deps.database, deps.keyring)) && addKey(deps)
    const done = await reseal(deps.database, deps.keyring, progress)
    for (const value of done.unreadable) await markUnreadable(deps, value)
    return { newKey, ...done }
  })
}

/** Only a damaged credential requires a new sign-in: a value sealed with an unknown key may be opened by a key that is missing here. */
async function markUnreadable(deps: KeyringDeps, { table, row, reason }: UnreadableValue): Promise<void> {
  deps.log.warn('a sealed value cannot be opened', { table, row, reason })
  if (table !== 'credential' || reason !== 'damaged') return
  const [shard, profileId] = row.split('/')
  const profile = await findProfile(deps.database, Number(shard), profileId!)
  const cause = new UpstreamError('reauthorize', 'The credential is damaged.', { reason: 'credential_damaged' })
  if (profile !== undefined) await markNeedsAuth(deps, profile, cause)
}

/**
 * Drops the keys that no sealed value needs. Separate from `rotateKeyring`, so that the operator can wait for slow processes and
 * backups: a process that has not read the new key yet still seals with the old one.
 */
export async function pruneKeyring(
  deps: KeyringDeps,
  options: { atOnce: boolean } = { atOnce: false },
): Promise<Pruning> {
  return withKeyLock(deps, () => prune(deps, options.atOnce))
}

async function prune(deps: KeyringDeps, atOnce: boolean): Promise<Pruning> {
  deps.keyring.refresh()
  const { needed, unreadable } = await findStale(deps.database, deps.keyring)
  if (needed > 0) {
    throw new SetupError(`${needed} sealed values still need an older key.`, {
      code: 'keys_in_use',
      help: 'Finish the rotation first: tributary keyring rotate',
    })
  }
  if (deps.keyFile === undefined) return { dropped: 0, unreadable }
  const file = readKeyFile(deps.keyFile)!
  if (file.keys.length > 1 && !atOnce && deps.clock.now() - statSync(deps.keyFile).mtimeMs < KEY_REFRESH_MS) {
    throw new SetupError('The newest key is less than a minute old; running processes may not have it yet.', {
      code: 'keys_settling',
      help: 'Wait a minute and try again, or add --at-once if nothing else runs.',
    })
  }
  if (file.keys.length > 1) writeKeyFile(deps.keyFile, { ...file, keys: file.keys.slice(0, 1) })
  deps.keyring.refresh()
  return { dropped: file.keys.length - 1, unreadable }
}

/** Serializes changes of the key file: two concurrent writers could lose a key that a value is sealed with. */
async function withKeyLock<Result>({ keyFile }: KeyringDeps, work: () => Promise<Result>): Promise<Result> {
  if (keyFile === undefined) return work()
  const lock = await acquireFileLock(`${keyFile}.lock`, (waitedMs) => {
    if (waitedMs < LOCK_TIMEOUT_MS) return
    throw new SetupError('Another process is changing the keys.', {
      code: 'keys_busy',
      help: 'Wait until it is done, then try again.',
    })
  })
  try {
    return await work()
  } finally {
    lock.release()
  }
}

function addKey({ keyring, keyFile }: KeyringDeps): boolean {
  if (keyFile === undefined) return false
  const file = readKeyFile(keyFile)!
  writeKeyFile(keyFile, { ...file, keys: [randomBytes(KEY_BYTES), ...file.keys] })
  keyring.refresh()
  return true
}
