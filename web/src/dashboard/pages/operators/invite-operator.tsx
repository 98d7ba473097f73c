import { call, type ResponseOf } from '@tributary/client/core.ts'
import { useState } from 'react'
import { asOperator } from '../../../api/core.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Field } from '../../../ui/field.tsx'
import { LinkShown } from './link-shown.tsx'
import { type Rights, RoleFields } from './role-fields.tsx'

const NOBODY: Rights = { role: 'operator', apps: [] }

/** Makes a link with which a person becomes an operator or developer. */
export function InviteOperator({ onDone }: { onDone: () => Promise<unknown> }) {
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const [rights, setRights] = useState(NOBODY)
  const [made, setMade] = useState<ResponseOf<'POST /admin/operators'>>()
  const [error, setError] = useState<unknown>()
  const close = () => {
    setOpen(false)
    setMade(undefined)
    setError(undefined)
    setName('')
    setRights(NOBODY)
  }
  const invite = async () => {
    setError(undefined)
    try {
      const body = { ...rights, ...(name === '' ? {} : { name }) }
      setMade(await call(asOperator, 'POST /admin/operators', { body }))
      await onDone()
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Invite
      </button>
      {isOpen && (
        <Dialog title="Invite an operator or developer" onClose={close}>
          {made === undefined ? (
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
              {error !== undefined && <ErrorNotice error={error} />}
              <div className="row">
                <button type="submit">Make a link</button>
              </div>
            </form>
          ) : (
            <LinkShown url={made.url} expiresAt={made.expires_at} />
          )}
        </Dialog>
      )}
    </>
  )
}
