import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { visitDemo } from '../../../api/demo-visit.ts'
import { useAddress } from '../../address.ts'
import { CredentialsForm } from '../../credentials-form.tsx'
import { PageTitle } from '../../page-title.tsx'
import { signInSearch } from '../../search.ts'

export default function SignInPage() {
  const [{ next, visit }] = useAddress(signInSearch)
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
      <Visit isWanted={visit === 'demo'} onDone={done}>
        <div className="card">
          <CredentialsForm onDone={done} />
        </div>
      </Visit>
      <p className="soft">
        Nobody operates yet? The first link is in the terminal where the server was started. No name yet, or the
        password is lost? An operator makes a link: <code>tributary operator add</code> or{' '}
        <code>tributary operator link NAME</code>.
      </p>
    </main>
  )
}

/** Who comes from the demo's page on the same machine is signed in as its operator; where that is refused, the form is shown. */
function Visit({ isWanted, onDone, children }: { isWanted: boolean; onDone: () => void; children: ReactNode }) {
  const [isTrying, setTrying] = useState(isWanted)
  useEffect(() => {
    if (isWanted) visitDemo().then(onDone, () => setTrying(false))
    // Once, as the page opens.
  }, [])
  return isTrying ? <p className="soft">Signing you in as the operator of this demo…</p> : children
}
