import type { Attention } from '@tributary-hub/client/generated/api.ts'

/** Where something can be looked at, and repaired: what a link to that page takes, and its text. */
export function targetOf({ kind, app, subject, reason }: Attention) {
  switch (kind) {
    case 'destination_stopped':
    case 'destination_failing':
    case 'dead_letters':
      return subject === undefined ? undefined : destination(app, subject)
    case 'endpoints_failing':
      return accounts({ app, service: subject, reason })
    case 'needs_auth':
      return accounts({ app, service: subject, state: 'needs_auth' })
    case 'endpoints_parked':
      return accounts({ app, reason: 'worker_died' })
    case 'records_quarantined':
    case 'fields_unreadable':
      return { link: { to: '/accounts/faults', search: { app } }, text: 'Records' } as const
    case 'sync_late':
      return accounts({ app })
    case 'backup_old':
      return { link: { to: '/settings', search: {} }, text: 'Backups' } as const
    case 'not_ready':
    case 'worker_down':
    case 'quota_near':
    case 'quota_reached':
    case 'spending_stopped':
      break
  }
  return undefined
}

const accounts = (search: Partial<Record<'app' | 'service' | 'state' | 'reason', string | undefined>>) =>
  ({ link: { to: '/accounts', search }, text: 'Accounts' }) as const

const destination = (app: string | undefined, id: string) =>
  ({ link: { to: '/push/$destination', params: { destination: id }, search: { app } }, text: 'Destination' }) as const
