import { call, type ResponseOf } from '@tributary-hub/client/core.ts'
import { useState } from 'react'
import { asOperator } from '../../../api/core.ts'
import { ActionResult } from '../../../ui/action-result.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { linksChanged } from '../../changes.ts'
import type { OperatorRow } from './change-operator.tsx'
import { LinkShown } from './link-shown.tsx'

/** Makes a link with which an operator sets a new password or passkey. */
export function LinkButton({ operator }: { operator: OperatorRow }) {
  const [made, setMade] = useState<ResponseOf<'POST /admin/operators/{id}/link'>>()
  const action = useAction()
  const make = () =>
    action.run(linksChanged, async () => {
      setMade(await call(asOperator, 'POST /admin/operators/{id}/link', { path: { id: operator.id } }))
    })
  return (
    <>
      <button type="button" className="quiet" disabled={action.isBusy} onClick={() => void make()}>
        New link
      </button>
      <ActionResult action={action} />
      {made !== undefined && (
        <Dialog title={`A link for ${operator.name}`} onClose={() => setMade(undefined)}>
          <LinkShown url={made.url} expiresAt={made.expires_at} />
        </Dialog>
      )}
    </>
  )
}
