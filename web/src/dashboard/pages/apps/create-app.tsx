import { call } from '@tributary-hub/client/core.ts'
import { type FormEvent, useState } from 'react'
import { asOperator } from '../../../api/core.ts'
import { ActionResult } from '../../../ui/action-result.tsx'
import { CheckField } from '../../../ui/check-field.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { linesOf } from '../../../ui/lines.ts'
import { OnceSecret } from '../../../ui/once-secret.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { appCreated } from '../../changes.ts'

/** Asks for what an app requires, and shows its secret once. */
export function CreateApp({ onClose }: { onClose: (created: string | undefined) => void }) {
  const [name, setName] = useState('')
  const [uris, setUris] = useState('')
  const [isPublic, setPublic] = useState(false)
  const [made, setMade] = useState<{ id: string; secret: string }>()
  const action = useAction()
  const create = (event: FormEvent) => {
    event.preventDefault()
    void action.run(appCreated, async () => {
      const body = { name, redirect_uris: linesOf(uris), public: isPublic }
      const app = await call(asOperator, 'POST /admin/apps', { body })
      setMade({ id: app.client_id, secret: app.client_secret })
    })
  }
  return (
    <Dialog title={made === undefined ? 'Create an app' : `${name} is created`} onClose={() => onClose(made?.id)}>
      {made === undefined ? (
        <form className="stack" onSubmit={create}>
          <Field label="Name" hint="People see it when they are asked for consent.">
            <input value={name} required maxLength={100} onChange={({ target }) => setName(target.value)} />
          </Field>
          <Field
            label="Redirect addresses"
            hint="Where people return to after they signed in: one on each line, compared exactly. http only for localhost."
          >
            <textarea
              rows={3}
              value={uris}
              required
              placeholder="https://app.example/connected"
              onChange={({ target }) => setUris(target.value)}
            />
          </Field>
          <CheckField
            label="Public client"
            hint="A mobile or browser app that cannot keep a secret: it exchanges codes by PKCE."
            checked={isPublic}
            onChange={setPublic}
          />
          <ActionResult action={action} />
          <div className="row">
            <button type="submit" disabled={action.isBusy}>
              Create
            </button>
          </div>
        </form>
      ) : (
        <div className="stack">
          <div className="row">
            <span>
              Client id <code>{made.id}</code>
            </span>
            <CopyButton text={made.id} label="Copy client id" />
          </div>
          <OnceSecret label="Client secret." secret={made.secret} />
          <div className="row">
            <button type="button" onClick={() => onClose(made.id)}>
              Go to its keys
            </button>
          </div>
        </div>
      )}
    </Dialog>
  )
}
