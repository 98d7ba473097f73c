import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useAddress } from '../../address.ts'
import { CredentialsForm } from '../../credentials-form.tsx'
import { PageTitle } from '../../page-title.tsx'
import { signInSearch } from '../../search.ts'

export default function SignInPage() {
  const [{ next }] = useAddress(signInSearch)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const done = () => {
    queries.clear()
    // A path below the dashboard, which it never leaves.
    void navigate({ href: `/dashboard${next?.startsWith('/') === true ? next : '/'}`, replace: true })
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
