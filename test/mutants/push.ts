import type { Mutant } from './mutant.ts'

const TABLES = 'src/destinations/postgres/tables.ts'
const WRITE = 'src/destinations/postgres/write-batch.ts'
const DELIVER = 'src/flows/push/deliver/deliver-profile.ts'
const RECONCILE = 'src/flows/push/deliver/reconcile-checkpoint.ts'
const RESTORED = 'test/spec/push/restored.test.ts'

/** P01 to P19: push and sync. */
export const PUSH_MUTANTS: readonly Mutant[] = [
  {
    check: 'P01',
    file: DELIVER,
    find: 'const progress = { seq: changes.upTo,',
    replace: 'const progress = { seq: changes.upTo + 1,',
    tests: ['test/faults/push-chaos.test.ts'],
  },
  {
    check: 'P02',
    file: DELIVER,
    find: 'await connection.erase({ destinationId, profileId, epoch: cursor.epoch })',
    replace: '',
    tests: ['test/faults/push-crash-points.test.ts'],
  },
  {
    check: 'P03',
    file: TABLES,
    find: 'where t.seq <= excluded.seq\nreturning t.id',
    replace: 'where t.seq is not null\nreturning t.id',
    tests: [RESTORED],
  },
  {
    check: 'P04',
    file: TABLES,
    find: 'where t.seq <= excluded.seq\nreturning t.id',
    replace: 'where t.seq is not null\nreturning t.id',
    tests: ['test/spec/push/kinds/conformance.test.ts'],
  },
  {
    check: 'P05',
    file: RECONCILE,
    find: 'seq: Math.min(cursor.seq, theirs.seq)',
    replace: 'seq: cursor.seq',
    tests: [RESTORED],
  },
  {
    check: 'P06',
    file: RECONCILE,
    find: 'if (theirs.epoch <= cursor.epoch) {',
    replace: 'if (theirs.epoch >= 0) {',
    tests: [RESTORED],
  },
  {
    check: 'P07',
    file: 'src/store/items/own-profile.ts',
    find: 'set seq = seq + $count where',
    replace: 'set seq = greatest(seq, $count) where',
    tests: ['test/spec/push/deliver.test.ts'],
  },
  {
    check: 'P08',
    file: DELIVER,
    find: 'if (!(await advanceCursor(database, cursor, progress, lease.renewedUntil()))) return wrote',
    replace: '',
    tests: ['test/faults/push-backfill.test.ts'],
  },
  {
    check: 'P09',
    file: WRITE,
    find: 'if (hardDeletes) await',
    replace: 'if (!hardDeletes) await',
    tests: ['test/spec/push/kinds/deletes.test.ts'],
  },
  {
    check: 'P10',
    file: 'src/flows/sync/diff/find-deleted.ts',
    find: 'if (deleted === stored) return deleted <= 1',
    replace: 'if (deleted === stored) return true',
    tests: ['test/spec/sync/deletes.test.ts'],
  },
  {
    check: 'P11',
    file: 'src/destinations/postgres/postgres.ts',
    find: "found?.missing === '0' ?",
    replace: 'found !== undefined ?',
    tests: ['test/spec/push/kinds/databases.test.ts'],
  },
  {
    check: 'P12',
    file: 'src/flows/push/deps.ts',
    find: 'export const RUNS_PER_DESTINATION = 3',
    replace: 'export const RUNS_PER_DESTINATION = 30',
    tests: ['test/spec/push/slow.test.ts'],
  },
  {
    check: 'P13',
    file: 'src/flows/push/deliver/settle-failure.ts',
    find: "'destination.recovered'",
    replace: "'destination.failing'",
    tests: ['test/spec/push/outage.test.ts'],
  },
  {
    check: 'P14',
    file: 'src/flows/push/deliver/bisect-rejects.ts',
    find: 'rejected.push(rejectedRow(named, confirmed))',
    replace: '',
    tests: ['test/spec/push/poison.test.ts'],
  },
  {
    check: 'P15',
    file: 'src/platform/formats/cron.ts',
    find: "timezone: zone ?? 'UTC'",
    replace: "timezone: 'UTC'",
    tests: ['src/flows/push/schedule.test.ts'],
  },
  {
    check: 'P16',
    file: 'src/flows/push/manage/verify.ts',
    find: '? [{ there, row }] : []',
    replace: '? [] : []',
    tests: ['test/spec/push/verify.test.ts'],
  },
  {
    check: 'P17',
    file: 'src/identity/merge.ts',
    find: 'await resendProfile(tx, key, deps.clock.now())',
    replace: '',
    tests: ['test/spec/push/profiles.test.ts'],
  },
  {
    check: 'P18',
    file: TABLES,
    find: "'delete from tributary_participants where profile_id = $1',",
    replace: '',
    tests: ['test/spec/push/outage.test.ts'],
  },
  {
    check: 'P19',
    file: 'src/flows/read/feed/read-feed.ts',
    find: 'if (!isKept || at !== position.at) throw',
    replace: 'if (!isKept) throw',
    tests: ['test/spec/reading/changes/feed.test.ts'],
  },
]
