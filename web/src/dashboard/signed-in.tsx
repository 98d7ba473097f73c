import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { isTributaryError } from '@tributary-hub/client/errors.ts'
import { type ReactNode, useEffect } from 'react'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { ConfirmIdentity } from './confirm-identity.tsx'
import { sessionRequest, useSession } from './session.ts'

/** Shows its content to those who are signed in; others get to the sign-in, and then back here. */
export function SignedIn({ children }: { children: ReactNode }) {
  const { data, error, refetch } = useSession()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const isOut = isSignedOut(error)
  // Another page's request may learn first that the session has ended.
  useEffect(
    () =>
      queries.getQueryCache().subscribe(({ query, type }) => {
        const isOther = query.queryKey[0] !== sessionRequest.queryKey[0]
        if (type === 'updated' && isOther && isSignedOut(query.state.error)) void refetch()
      }),
    [queries, refetch],
  )
  useEffect(() => {
    if (!isOut) return
    const next = `${location.pathname.slice('/dashboard'.length)}${location.search}`
    void navigate({ to: '/sign-in', search: next.length < 2 ? {} : { next }, replace: true })
  }, [isOut, navigate])
  if (isOut) return null
  if (data === undefined) return error === null ? null : <ErrorNotice error={error} retry={refetch} />
  return (
    <>
      {children}
      <ConfirmIdentity operator={data.operator} />
    </>
  )
}

function isSignedOut(error: unknown): boolean {
  return isTributaryError(error) && error.reason === 'signed_out'
}
