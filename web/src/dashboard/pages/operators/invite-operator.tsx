import { call, type ResponseOf } from '@tributary-hub/client/core.ts'
import { useState } from 'react'
import { asOperator } from '../../../api/core.ts'
import { ActionResult } from '../../../ui/action-result.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { linksChanged } from '../../changes.ts'
import { LinkShown } from './link-shown.tsx'
import { type Rights, RoleFields } from './role-fields.tsx'

/** Makes a link with which a person becomes an operator or developer. */
export function InviteOperator() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Invite
      </button>
      {isOpen && (
        <Dialog title="Invite an operator or developer" onClose={() => setOpen(false)}>
          <InviteForm />
        </Dialog>
      )}
    </>
  )
}

function InviteForm() {
  const [name, setName] = useState('')
  const [rights, setRights] = useState<Rights>({ role: 'operator', apps: [] })
  const [made, setMade] = useState<ResponseOf<'POST /admin/operators'>>()
  const action = useAction()
  const invite = () =>
    action.run(linksChanged, async () => {
      const body = { ...rights, ...(name === '' ? {} : { name }) }
      setMade(await call(asOperator, 'POST /admin/operators', { body }))
    })
  if (made !== undefined) return <LinkShown url={made.url} expiresAt={made.expires_at} />
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void invite()
      }}
    >
      <Field label="Name" hint="A proposal; the person may choose another one.">
        <input maxLength={64} value={name} onChange={({ target }) => setName(target.value)} />
      </Field>
      <RoleFields value={rights} onChange={setRights} />
      <ActionResult action={action} />
      <div className="row">
        <button type="submit" disabled={action.isBusy}>
          Make a link
        </button>
      </div>
    </form>
  )
}
