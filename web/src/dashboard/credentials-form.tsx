import { call } from '@tributary-hub/client/core.ts'
import { useState } from 'react'
import { asOperator } from '../api/core.ts'
import { canUsePasskeys, signInWithPasskey } from '../api/passkeys.ts'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { Field } from '../ui/field.tsx'

/** Signs in by password or passkey. With `name`, only as this operator. */
export function CredentialsForm({ name: known, onDone }: { name?: string | undefined; onDone: () => void }) {
  const [name, setName] = useState(known ?? '')
  const [password, setPassword] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const attempt = async (work: () => Promise<unknown>) => {
    setBusy(true)
    setError(undefined)
    try {
      await work()
      onDone()
    } catch (failure) {
      setError(failure)
      setPassword('')
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void attempt(() => call(asOperator, 'POST /dashboard/session', { body: { name, password } }))
      }}
    >
      <Field label="Name">
        <input
          name="username"
          autoComplete="username"
          required
          readOnly={known !== undefined}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </Field>
      <Field label="Password">
        <input
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={({ target }) => setPassword(target.value)}
        />
      </Field>
      {error !== undefined && <ErrorNotice error={error} />}
      <div className="row">
        <button type="submit" disabled={isBusy}>
          {known === undefined ? 'Sign in' : 'Confirm'}
        </button>
        {canUsePasskeys() && (
          <button type="button" className="quiet" disabled={isBusy} onClick={() => void attempt(signInWithPasskey)}>
            Use a passkey
          </button>
        )}
      </div>
    </form>
  )
}
