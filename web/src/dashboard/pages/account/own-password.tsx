import { call } from '@tributary/client/core.ts'
import { useState } from 'react'
import { asOperator } from '../../../api/core.ts'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Field } from '../../../ui/field.tsx'

/** Sets the password of the person who is signed in. */
export function OwnPassword({ name }: { name: string }) {
  const [password, setPassword] = useState('')
  const [ended, setEnded] = useState<number>()
  const [error, setError] = useState<unknown>()
  const change = async () => {
    setError(undefined)
    setEnded(undefined)
    try {
      setEnded((await call(asOperator, 'PUT /dashboard/password', { body: { password } })).ended)
      setPassword('')
    } catch (failure) {
      setError(failure)
    }
  }
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
        {error !== undefined && <ErrorNotice error={error} />}
        {ended !== undefined && (
          <p role="status">
            The password is changed. {ended === 1 ? '1 other session' : `${ended} other sessions`} ended.
          </p>
        )}
        <div className="row">
          <button type="submit">Change password</button>
        </div>
      </form>
    </section>
  )
}
