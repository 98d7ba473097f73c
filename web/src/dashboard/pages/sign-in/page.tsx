import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { parseSearch, useAddress } from '../../address.ts'
import { CredentialsForm } from '../../credentials-form.tsx'
import { PageTitle } from '../../page-title.tsx'

export default function SignInPage() {
  const [{ next }] = useAddress()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const done = () => {
    queries.clear()
    // A path of the router, which never leaves the dashboard.
    const [to, search = ''] = (next?.startsWith('/') === true ? next : '/').split('?')
    void navigate({ to, search: parseSearch(search), replace: true } as never)
  }
  return (
    <main className="alone stack">
      <PageTitle title="Sign in" />
      <div className="card">
        <CredentialsForm onDone={done} />
      </div>
      <p className="soft">
        No name yet, or the password is lost? An operator makes a link: <code>tributary operator add</code> or{' '}
        <code>tributary operator link NAME</code>.
      </p>
    </main>
  )
}
