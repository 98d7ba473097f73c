import { useQuery } from '@tanstack/react-query'
import { call } from '@tributary-hub/client/core.ts'
import { app as actingFor, asApp, request } from '../../../api/core.ts'
import { ActionResult } from '../../../ui/action-result.tsx'
import { formatCount } from '../../../ui/amounts.ts'
import { ConfirmButton } from '../../../ui/confirm-button.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { destinationChanged } from '../../changes.ts'
import type { Destination } from './kinds.ts'

const SHOWN = 200

/** Rows that the destination rejected, by reason; trying them again says first how many there are. */
export function DeadLetters({ app, destination }: { app: string; destination: Destination }) {
  const path = { id: destination.id }
  const reasons = useQuery(request(actingFor(app), 'GET /push/{id}/dead-letters/reasons', { path }))
  const letters = useQuery(request(actingFor(app), 'GET /push/{id}/dead-letters', { path, query: { limit: SHOWN } }))
  const action = useAction()
  const redrive = (profile?: string) =>
    action.run(
      destinationChanged(app, destination.id),
      () => call(asApp(app), 'POST /push/{id}/redrive', { path, body: profile === undefined ? {} : { profile } }),
      'They are tried again.',
    )
  return (
    <section className="card stack" aria-label="Dead letters">
      <div className="row apart">
        <p>{formatCount(destination.dead_letters)} rows were rejected; all others were delivered.</p>
        {destination.dead_letters > 0 && (
          <ConfirmButton label="Try all again" title="Try the dead letters again" onConfirm={() => redrive()}>
            {formatCount(destination.dead_letters)} rows are delivered again in their current state. Rows that are
            rejected again stay here.
          </ConfirmButton>
        )}
      </div>
      <ActionResult action={action} />
      <QueryView query={reasons}>
        {(groups) => (
          <QueryView query={letters}>
            {(all) => (
              <>
                {groups.map(({ reason, dead_letters: n, profiles, last_at: at }) => (
                  <details key={reason} className="push-dead">
                    <summary>
                      <strong>{formatCount(n)}</strong> <span className="push-error">{reason}</span>{' '}
                      <span className="soft">
                        {profiles} profiles, last <Time at={at} />
                      </span>
                    </summary>
                    <Table
                      label={`Rows rejected: ${reason}`}
                      rows={all.filter((each) => each.reason === reason)}
                      rowKey={({ profile, item }) => `${profile} ${item}`}
                      columns={[
                        { title: 'Item', cell: ({ item }) => <code>{item}</code> },
                        { title: 'Rejected', cell: (each) => <Time at={each.at} /> },
                        { title: 'Profile', cell: ({ profile }) => <code>{profile}</code> },
                        {
                          title: 'Action',
                          cell: ({ profile }) => (
                            <button
                              type="button"
                              className="quiet"
                              disabled={action.isBusy}
                              onClick={() => void redrive(profile)}
                            >
                              Try this profile again
                            </button>
                          ),
                        },
                      ]}
                    />
                  </details>
                ))}
              </>
            )}
          </QueryView>
        )}
      </QueryView>
    </section>
  )
}
