import { call } from '@tributary-hub/client/core.ts'
import { useState } from 'react'
import { asOperator } from '../../../api/core.ts'
import { ActionResult } from '../../../ui/action-result.tsx'
import { Field } from '../../../ui/field.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { sessionsChanged } from '../../changes.ts'

/** Sets the password of the person who is signed in. */
export function OwnPassword({ name }: { name: string }) {
  const [password, setPassword] = useState('')
  const action = useAction()
  const change = () =>
    action.run(
      sessionsChanged,
      async () => {
        await call(asOperator, 'PUT /dashboard/password', { body: { password } })
        setPassword('')
      },
      'The password is changed. Your other sessions have ended.',
    )
  return (
    <section className="card" aria-labelledby="password">
      <h2 id="password">Password</h2>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void change()
        }}
      >
        <input type="hidden" name="username" autoComplete="username" value={name} readOnly />
        <Field label="New password" hint="At least 12 characters. Your other sessions end.">
          <input
            type="password"
            autoComplete="new-password"
            required
            minLength={12}
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
        </Field>
        <ActionResult action={action} />
        <div className="row">
          <button type="submit" disabled={action.isBusy}>
            Change password
          </button>
        </div>
      </form>
    </section>
  )
}
