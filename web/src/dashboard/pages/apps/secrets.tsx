import { call } from '@tributary-hub/client/core.ts'
import { useState } from 'react'
import { asOperator } from '../../../api/core.ts'
import { ActionResult } from '../../../ui/action-result.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { ConfirmButton } from '../../../ui/confirm-button.tsx'
import { Field } from '../../../ui/field.tsx'
import { OnceSecret } from '../../../ui/once-secret.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { secretsChanged } from '../../changes.ts'
import type { ShownApp } from './shown-app.ts'

const OVERLAPS = [
  { seconds: 0, title: 'none: the previous secret ends now' },
  { seconds: 3600, title: 'an hour' },
  { seconds: 86_400, title: 'a day' },
  { seconds: 7 * 86_400, title: 'a week' },
  { seconds: 30 * 86_400, title: '30 days' },
]

/** The secrets of an app: rotating with an overlap, and ending the previous one. */
export function Secrets({ app }: { app: ShownApp }) {
  const [overlap, setOverlap] = useState(86_400)
  const [made, setMade] = useState<string>()
  const action = useAction()
  const path = { client_id: app.client_id }
  const rotate = () =>
    action.run(secretsChanged(app.client_id), async () => {
      const body = { overlap_seconds: overlap }
      setMade((await call(asOperator, 'POST /admin/apps/{client_id}/rotate-secret', { path, body })).client_secret)
    })
  const end = async (id: string) => {
    await call(asOperator, 'DELETE /admin/apps/{client_id}/secrets/{id}', { path: { ...path, id } })
    await action.run(secretsChanged(app.client_id), async () => undefined, 'The previous secret has ended.')
  }
  return (
    <section className="card stack" aria-label="Secrets">
      {made !== undefined && <OnceSecret label="The new client secret." secret={made} />}
      <Table
        label="Secrets"
        rows={app.secrets}
        rowKey={({ id }) => id}
        columns={[
          { title: 'Id', cell: ({ id }) => <code>{id}</code> },
          { title: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
          {
            title: 'Ends',
            cell: ({ expires_at: at }) =>
              at === undefined ? (
                <Badge tone="good">current</Badge>
              ) : (
                <>
                  <Badge tone="warn">replaced</Badge> <Time at={at} />
                </>
              ),
          },
          {
            title: 'Action',
            cell: ({ id, expires_at: at }) =>
              at !== undefined && (
                <ConfirmButton label="End it now" title="End the previous secret" onConfirm={() => end(id)}>
                  Servers that still use it are refused at once.
                </ConfirmButton>
              ),
          },
        ]}
      />
      <div className="row apps-rotate">
        <Field label="Overlap" hint="How long the current secret stays valid beside the new one.">
          <select value={overlap} onChange={({ target }) => setOverlap(Number(target.value))}>
            {OVERLAPS.map(({ seconds, title }) => (
              <option key={seconds} value={seconds}>
                {title}
              </option>
            ))}
          </select>
        </Field>
        <button type="button" disabled={action.isBusy} onClick={() => void rotate()}>
          Rotate the secret
        </button>
      </div>
      <ActionResult action={action} />
    </section>
  )
}
