import { call, type ResponseOf } from '@tributary/client/core.ts'
import { useState } from 'react'
import { asOperator } from '../../../api/core.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import type { OperatorRow } from './change-operator.tsx'
import { LinkShown } from './link-shown.tsx'

/** Makes a link with which an operator sets a new password or passkey. */
export function LinkButton({ operator, onDone }: { operator: OperatorRow; onDone: () => Promise<unknown> }) {
  const [made, setMade] = useState<ResponseOf<'POST /admin/operators/{id}/link'>>()
  const [error, setError] = useState<unknown>()
  const make = async () => {
    setError(undefined)
    try {
      setMade(await call(asOperator, 'POST /admin/operators/{id}/link', { path: { id: operator.id } }))
      await onDone()
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <>
      <button type="button" className="quiet" onClick={() => void make()}>
        New link
      </button>
      {error !== undefined && <ErrorNotice error={error} />}
      {made !== undefined && (
        <Dialog title={`A link for ${operator.name}`} onClose={() => setMade(undefined)}>
          <LinkShown url={made.url} expiresAt={made.expires_at} />
        </Dialog>
      )}
    </>
  )
}
