import { call } from '@tributary-hub/client/core.ts'
import { useEffect, useRef, useState } from 'react'
import { asApp } from '../../../api/core.ts'
import { ActionResult } from '../../../ui/action-result.tsx'
import { formatCount } from '../../../ui/amounts.ts'
import { ConfirmButton } from '../../../ui/confirm-button.tsx'
import { Field } from '../../../ui/field.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { destinationChanged, tried } from '../../changes.ts'
import type { Destination } from './kinds.ts'
import { added, type Verified } from './verified.ts'

const HOUR = 3_600_000

/** Delivering again, and comparing row by row. */
export function Repair({ app, destination }: { app: string; destination: Destination }) {
  const [since, setSince] = useState('')
  const action = useAction()
  const path = { id: destination.id }
  const changes = destinationChanged(app, destination.id)
  const replay = () =>
    action.run(
      changes,
      async () => {
        const body = { since: since === '' ? Date.now() - HOUR : new Date(since).getTime() }
        await call(asApp(app), 'POST /push/{id}/replay', { path, body })
      },
      'The changes since then are delivered again.',
    )
  return (
    <div className="stack">
      <section className="card stack" aria-label="Deliver again">
        <h2>Deliver again</h2>
        <div className="row push-replay">
          <Field label="Replay since" hint="Empty: the last hour.">
            <input type="datetime-local" value={since} onChange={({ target }) => setSince(target.value)} />
          </Field>
          <button type="button" disabled={action.isBusy} onClick={() => void replay()}>
            Replay
          </button>
          <ConfirmButton
            label="Backfill everything"
            title="Deliver everything again"
            onConfirm={() =>
              action.run(
                changes,
                () => call(asApp(app), 'POST /push/{id}/backfill', { path }),
                'Everything is delivered again.',
              )
            }
          >
            {formatCount(destination.rows)} rows of {formatCount(destination.profiles)} profiles are delivered again.
            Rows are replaced, not doubled; a webhook gets them as new messages.
          </ConfirmButton>
        </div>
        <ActionResult action={action} />
      </section>
      <Verify app={app} id={destination.id} />
    </div>
  )
}

function Verify({ app, id }: { app: string; id: string }) {
  const [report, setReport] = useState<Verified>()
  const action = useAction()
  const left = useRef(new AbortController())
  useEffect(() => {
    const ended = new AbortController()
    left.current = ended
    // A comparison that nobody sees any more is not continued.
    return () => ended.abort()
  }, [])
  const verify = (repair: boolean) =>
    action.run(repair ? destinationChanged(app, id) : tried, async () => {
      setReport(undefined)
      let total: Verified | undefined
      const options = { signal: left.current.signal }
      // One request compares for half a minute; `next` continues.
      do {
        const body = { repair, ...(total?.next === undefined ? {} : { after: total.next }) }
        const part: Verified = await call(asApp(app), 'POST /push/{id}/verify', { path: { id }, body, options })
        total = total === undefined ? part : added(total, part)
        setReport(total)
      } while (total.next !== undefined)
    })
  const differences = report === undefined ? 0 : report.missing + report.different + report.extra
  return (
    <section className="card stack" aria-label="Verify">
      <h2>Verify</h2>
      <p className="soft">Compares every row at the destination with the store.</p>
      <div className="row">
        <button type="button" disabled={action.isBusy} onClick={() => void verify(false)}>
          {action.isBusy ? 'Comparing…' : 'Verify'}
        </button>
        {differences > 0 && (
          <button type="button" className="quiet" disabled={action.isBusy} onClick={() => void verify(true)}>
            Repair {formatCount(differences)} differences
          </button>
        )}
      </div>
      <ActionResult action={action} />
      {report !== undefined && (
        <div role="status">
          <p>
            <strong>{differences === 0 ? 'Everything is equal.' : `${formatCount(differences)} rows differ.`}</strong>{' '}
            {formatCount(report.rows)} rows of {formatCount(report.profiles)} profiles were compared
            {report.next === undefined ? '.' : ' so far …'}
          </p>
          <p className="soft">
            {report.missing} missing, {report.different} different, {report.extra} too many
            {report.repaired > 0 && `; ${report.repaired} profiles are delivered again`}.
          </p>
        </div>
      )}
    </section>
  )
}
