import { call, type ResponseOf } from '@tributary-hub/client/core.ts'
import { useState } from 'react'
import { asOperator } from '../../../api/core.ts'
import { ActionResult } from '../../../ui/action-result.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { operatorsChanged } from '../../changes.ts'
import { RoleFields } from './role-fields.tsx'

export type OperatorRow = ResponseOf<'GET /admin/operators'>[number]

/** Changes the name, role and apps of an operator. */
export function ChangeOperator({ operator }: { operator: OperatorRow }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="quiet" onClick={() => setOpen(true)}>
        Change
      </button>
      {isOpen && (
        <Dialog title={`Change ${operator.name}`} onClose={() => setOpen(false)}>
          <ChangeForm operator={operator} onDone={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  )
}

function ChangeForm({ operator, onDone }: { operator: OperatorRow; onDone: () => void }) {
  const [name, setName] = useState(operator.name)
  const [rights, setRights] = useState({ role: operator.role, apps: operator.apps })
  const action = useAction()
  const change = async () => {
    const input = { path: { id: operator.id }, body: { name, ...rights } }
    if (await action.run(operatorsChanged, () => call(asOperator, 'PATCH /admin/operators/{id}', input))) onDone()
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
      <ActionResult action={action} />
      <div className="row">
        <button type="submit" disabled={action.isBusy}>
          Save
        </button>
      </div>
    </form>
  )
}
