import { useQuery } from '@tanstack/react-query'
import { operator, request } from '../api/core.ts'

/** How often an open page asks whether its session still exists. */
const VERIFY_MS = 30_000

export const sessionRequest = request(operator, 'GET /dashboard/session')

/** Who is signed in. */
export const useSession = () => useQuery({ ...sessionRequest, refetchInterval: VERIFY_MS })

/** Whether the person may do everything; undefined while it is not known who is signed in. */
export const useIsOperator = (): boolean | undefined => {
  const role = useSession().data?.operator.role
  return role === undefined ? undefined : role === 'operator'
}
