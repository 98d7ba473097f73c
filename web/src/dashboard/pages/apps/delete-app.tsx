import { useNavigate } from '@tanstack/react-router'
import { call } from '@tributary-hub/client/core.ts'
import { useState } from 'react'
import { asOperator } from '../../../api/core.ts'
import { CheckField } from '../../../ui/check-field.tsx'
import { ConfirmButton } from '../../../ui/confirm-button.tsx'
import { useReadAgain } from '../../../ui/use-action.ts'
import { appDeleted } from '../../changes.ts'
import type { ShownApp } from './shown-app.ts'

/** Deletes an app after its name was typed; shows how far a deletion is. */
export function DeleteApp({ app }: { app: ShownApp }) {
  const [erases, setErases] = useState(false)
  const readAgain = useReadAgain()
  const navigate = useNavigate()
  const remove = async () => {
    const path = { client_id: app.client_id }
    const result = await call(asOperator, 'DELETE /admin/apps/{client_id}', { path, query: { erase: erases } })
    // Left first: the page of an app that is gone would ask for it again.
    if ('deleted' in result) await navigate({ to: '/apps' })
    await readAgain(appDeleted(app.client_id))
  }
  if (app.deletion !== undefined)
    return (
      <section className="card stack" aria-label="Deletion">
        <h2>The app is being deleted</h2>
        <progress value={app.deletion.erased} max={Math.max(1, app.deletion.accounts)} aria-label="Erased accounts" />
        <p>
          {app.deletion.erased} of {app.deletion.accounts} accounts are erased (
          {app.deletion.state.replaceAll('_', ' ')}).
        </p>
      </section>
    )
  return (
    <section className="card stack" aria-label="Delete the app">
      <p>
        Without accounts, the app and its keys are deleted at once. With accounts, tokens are revoked at the services
        first, then all accounts and their rows at destinations are erased, in the background.
      </p>
      <CheckField
        label="Also erase all accounts and their data"
        hint="Without this, an app that has accounts is refused."
        checked={erases}
        onChange={setErases}
      />
      <div className="row">
        <ConfirmButton label="Delete the app" title={`Delete ${app.name}`} typed={app.name} onConfirm={remove}>
          This cannot be undone. People must connect again.
        </ConfirmButton>
      </div>
    </section>
  )
}
