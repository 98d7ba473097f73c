import { useQuery } from '@tanstack/react-query'
import { app as asApp, request } from '../../../api/core.ts'
import type { Kind } from './kinds.ts'
import type { Option } from './option-texts.ts'

/** The options that a kind of destination accepts, as the API describes them; undefined until they are known. */
export function useOptions(app: string, kind: Kind): { options: Option[] | undefined; error: unknown } {
  const { data, error } = useQuery({ ...request(asApp(app), 'GET /push/kinds'), staleTime: Number.POSITIVE_INFINITY })
  return { options: data?.find((each) => each.kind === kind)?.options, error }
}
