import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '@tributary-hub/client/core.ts'
import { asOperator } from '../../../api/core.ts'
import { Badge } from '../../../ui/badge.tsx'
import { ConfirmButton } from '../../../ui/confirm-button.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { PageTitle } from '../../page-title.tsx'
import { useSession } from '../../session.ts'
import { SessionsTable } from '../../sessions-table.tsx'
import { OwnPasskeys } from './own-passkeys.tsx'
import { OwnPassword } from './own-password.tsx'

/** Who is signed in, and how. */
export default function AccountPage() {
  const session = useSession()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const signOut = async (everywhere: boolean) => {
    await call(asOperator, 'DELETE /dashboard/session', { query: everywhere ? { everywhere: 'true' } : {} })
    await navigate({ to: '/sign-in', replace: true })
    queries.clear()
  }
  return (
    <div className="stack">
      <PageTitle title="Your account">
        <button type="button" className="quiet" onClick={() => void signOut(false)}>
          Sign out
        </button>
        <ConfirmButton label="Sign out everywhere" title="Sign out everywhere" onConfirm={() => signOut(true)}>
          Every browser in which you are signed in, this one too.
        </ConfirmButton>
      </PageTitle>
      <QueryView query={session}>
        {({ operator, passkeys }) => (
          <>
            <p>
              {operator.name} <Badge>{operator.role}</Badge>
            </p>
            <OwnPassword name={operator.name} />
            {passkeys && <OwnPasskeys />}
            <section className="card" aria-labelledby="sessions">
              <h2 id="sessions">Your sessions</h2>
              <SessionsTable of={operator.id} />
            </section>
          </>
        )}
      </QueryView>
    </div>
  )
}
