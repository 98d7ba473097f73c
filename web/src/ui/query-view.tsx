import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorNotice } from './error-notice.tsx'

/** Shows a query's data; before that, that it is loading; instead of it, why it failed. Old data stays while new data loads. */
export function QueryView<T>({
  query,
  children,
}: {
  query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>
  children: (data: T) => ReactNode
}) {
  const { data, error, refetch } = query
  if (error !== null && data === undefined) return <ErrorNotice error={error} retry={refetch} />
  if (data === undefined)
    return (
      <p className="soft" role="status">
        Loading…
      </p>
    )
  return (
    <>
      {error !== null && <ErrorNotice error={error} retry={refetch} />}
      {children(data)}
    </>
  )
}
