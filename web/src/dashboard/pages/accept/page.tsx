import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '@tributary-hub/client/core.ts'
import { useState } from 'react'
import { asOperator } from '../../../api/core.ts'
import { canUsePasskeys, createPasskey } from '../../../api/passkeys.ts'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Field } from '../../../ui/field.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { PageTitle } from '../../page-title.tsx'

/** The one-time link: a new operator chooses a name and a password or passkey; a known one sets a new one. */
export default function AcceptPage() {
  // What stands behind # is never sent with an address; it is read once and kept in memory.
  const [token] = useState(() => location.hash.slice(1))
  const link = useQuery({
    queryKey: ['link', token],
    queryFn: () => call(asOperator, 'POST /dashboard/link', { body: { token } }),
    refetchOnWindowFocus: false,
  })
  return (
    <main className="alone stack">
      <PageTitle title="Your access to Tributary" />
      <div className="card">
        <QueryView query={link}>
          {({ new_operator: isNew, name, role, passkeys }) => (
            <>
              <p>
                {isNew ? `You become ${role === 'operator' ? 'an operator' : 'a developer'} of this installation.` : ''}
                {isNew ? '' : `${name}, set a new password or add a passkey. You are signed out everywhere else.`}
              </p>
              <AcceptForm token={token} isNew={isNew} name={name ?? ''} passkeys={passkeys && canUsePasskeys()} />
            </>
          )}
        </QueryView>
      </div>
    </main>
  )
}

function AcceptForm({
  token,
  isNew,
  name: proposed,
  passkeys,
}: {
  token: string
  isNew: boolean
  name: string
  passkeys: boolean
}) {
  const [name, setName] = useState(proposed)
  const [password, setPassword] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const attempt = async (work: () => Promise<unknown>) => {
    setBusy(true)
    setError(undefined)
    try {
      await work()
      queries.clear()
      void navigate({ to: '/', hash: '', replace: true })
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  const withPassword = () => call(asOperator, 'POST /dashboard/link/accept', { body: { token, name, password } })
  const withPasskey = async () => {
    const options = await call(asOperator, 'POST /dashboard/link/passkey', { body: { token, name } })
    const passkey = { name: 'Passkey', registration: await createPasskey(options) }
    await call(asOperator, 'POST /dashboard/link/accept', { body: { token, name, passkey } })
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void attempt(withPassword)
      }}
    >
      <Field label="Name" hint={isNew ? 'You sign in with it, and the audit log shows it.' : undefined}>
        <input
          name="username"
          autoComplete="username"
          required
          maxLength={64}
          readOnly={!isNew}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </Field>
      <Field label="Password" hint="At least 12 characters.">
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
      <div className="row">
        <button type="submit" disabled={isBusy}>
          Set password and sign in
        </button>
        {passkeys && (
          <button
            type="button"
            className="quiet"
            disabled={isBusy || name.trim() === ''}
            onClick={() => void attempt(withPasskey)}
          >
            Create a passkey instead
          </button>
        )}
      </div>
    </form>
  )
}
