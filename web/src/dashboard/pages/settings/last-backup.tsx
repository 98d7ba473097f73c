import type { ResponseOf } from '@tributary-hub/client/core.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Time } from '../../../ui/time.tsx'

type Backups = ResponseOf<'GET /admin/settings'>['backups']

const megabytes = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

/** When the last backup was written, how large it is, and whether somebody read it again. */
export function LastBackup({ last, old_after_days: days }: Pick<Backups, 'last' | 'old_after_days'>) {
  if (last === undefined)
    return (
      <p>
        <Badge>none is known</Badge> Only backups by <code>tributary backup create</code> are known here, not those that
        the database server makes.
      </p>
    )
  const verified = last.verified_at
  return (
    <>
      {last.old && (
        <p className="notice warn" role="alert">
          The newest backup is older than {days} days.
        </p>
      )}
      <p>
        The newest was written <Time at={last.created_at} />: {last.tables} tables, {megabytes.format(last.bytes / 1e6)}{' '}
        MB, {last.keys_included ? 'with' : 'without'} the sealing keys.{' '}
        {verified === undefined ? (
          <Badge tone="warn">not verified</Badge>
        ) : (
          <>
            <Badge tone="good">verified</Badge> <Time at={verified} />
          </>
        )}
      </p>
    </>
  )
}
