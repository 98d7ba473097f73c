import { call, type ResponseOf } from '@tributary/client/core.ts'
import { useState } from 'react'
import { asOperator } from '../../../api/core.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Field } from '../../../ui/field.tsx'
import { RoleFields } from './role-fields.tsx'

export type OperatorRow = ResponseOf<'GET /admin/operators'>[number]

/** Changes the name, role and apps of an operator. */
export function ChangeOperator({ operator, onDone }: { operator: OperatorRow; onDone: () => Promise<unknown> }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="quiet" onClick={() => setOpen(true)}>
        Change
      </button>
      {isOpen && (
        <Dialog title={`Change ${operator.name}`} onClose={() => setOpen(false)}>
          <ChangeForm
            operator={operator}
            onDone={async () => {
              await onDone()
              setOpen(false)
            }}
          />
        </Dialog>
      )}
    </>
  )
}

function ChangeForm({ operator, onDone }: { operator: OperatorRow; onDone: () => Promise<unknown> }) {
  const [name, setName] = useState(operator.name)
  const [rights, setRights] = useState({ role: operator.role, apps: operator.apps })
  const [error, setError] = useState<unknown>()
  const change = async () => {
    setError(undefined)
    try {
      await call(asOperator, 'PATCH /admin/operators/{id}', { path: { id: operator.id }, body: { name, ...rights } })
      await onDone()
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void change()
      }}
    >
      <Field label="Name">
        <input required maxLength={64} value={name} onChange={({ target }) => setName(target.value)} />
      </Field>
      <RoleFields value={rights} onChange={setRights} />
      {error !== undefined && <ErrorNotice error={error} />}
      <div className="row">
        <button type="submit">Save</button>
      </div>
    </form>
  )
}
