import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type AttentionInput, findAttention } from './attention.ts'

const NOTHING: AttentionInput = {
  profiles: [],
  reasons: [],
  troubles: [],
  due: [],
  quotas: [],
  destinations: [],
  spending: [],
}
const find = (input: Partial<AttentionInput>) =>
  findAttention({ ...NOTHING, ...input }, { nowMs: 1_000_000, isFailure: (reason) => reason !== 'scope_missing' })
const kinds = (input: Partial<AttentionInput>) => find(input).map(({ kind }) => kind)

suite('what requires attention', () => {
  test('is nothing while all is well', () => {
    const destination = { id: 'd', appId: 'a', name: 'n', state: 'active', deadLetters: 0 }
    assert.deepEqual(
      find({
        profiles: [{ appId: 'a', service: 's', state: 'active', n: 5 }],
        reasons: [{ appId: 'a', service: 's', reason: 'scope_missing', n: 5 }],
        due: [{ appId: 'a', n: 3, since: 990_000 }],
        destinations: [destination, { ...destination, state: 'paused' }],
        spending: [{ app: 'a', service: 's', currency: 'USD', spent: 1, limit: undefined }],
        health: { checks: { database: { ok: true, detail: '' } }, workers: [{ lane: 'sync', running: true }] },
      }),
      [],
    )
  })

  test('includes a newest backup that is too old', () => {
    const [entry] = find({ oldBackupAt: 1_000_000 - 9 * 86_400_000 })
    assert.deepEqual(entry, { kind: 'backup_old', level: 'warn', n: 1, text: 'The newest backup is 9 days old.' })
  })

  test('begins with what stops the service', () => {
    const input = {
      profiles: [{ appId: 'a', service: 's', state: 'needs_auth', n: 1 }],
      reasons: [{ appId: 'a', service: 's', reason: 'rate_limited', n: 2 }],
      troubles: [{ appId: 'a', faults: 1, quarantined: 1, parked: 1 }],
      due: [{ appId: 'a', n: 3, since: 0 }],
      quotas: [
        { appId: 'a', quota: 'app_items', level: 'near' as const, n: 1 },
        { appId: 'a', quota: 'app_bytes', level: 'reached' as const, n: 1 },
      ],
      destinations: [
        { id: 'd', appId: 'a', name: 'n', state: 'failing', deadLetters: 2 },
        { id: 'e', appId: 'a', name: 'm', state: 'disabled', deadLetters: 0 },
      ],
      spending: [{ app: 'a', service: 's', currency: 'USD', spent: 2, limit: 2 }],
      health: { checks: { queue: { ok: false, detail: 'late' } }, workers: [{ lane: 'sync', running: false }] },
    }
    assert.deepEqual(kinds(input), [
      'not_ready',
      'worker_down',
      'destination_stopped',
      'spending_stopped',
      'quota_reached',
      'destination_failing',
      'sync_late',
      'dead_letters',
      'endpoints_failing',
      'endpoints_parked',
      'needs_auth',
      'records_quarantined',
      'fields_unreadable',
      'quota_near',
    ])
    assert.ok(find(input).every(({ text }) => /^[A-Z0-9“].*\.$/.test(text)))
  })

  test('is a bounded list, the most frequent first', () => {
    const reasons = Array.from({ length: 100 }, (_, n) => ({ appId: 'a', service: `s${n}`, reason: 'rate_limited', n }))
    assert.deepEqual(
      find({ reasons })
        .slice(0, 2)
        .map(({ n }) => n),
      [99, 98],
    )
    assert.ok(find({ reasons }).length < 100)
  })
})
