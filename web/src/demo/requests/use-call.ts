import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Page } from '@tributary-hub/client/pages.ts'
import { useContext, useMemo } from 'react'
import { PANEL } from '../keys.ts'
import { SessionContext } from '../session-context.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import type { ListQuery, SdkCall } from './sdk-calls.ts'

/** Records the requests of one panel. */
export function useRecorder(): Recorder {
  const { token } = useContext(SessionContext)
  return useMemo(() => createRecorder(token), [token])
}

/** Makes a call of the SDK and shows its result; the old one stays while another loads. */
export function useCall<T>(recorder: Recorder, panel: string, call: SdkCall<T>, options: { enabled?: boolean } = {}) {
  const { token } = useContext(SessionContext)
  return useQuery({
    queryKey: [PANEL, panel, token, call.code],
    queryFn: ({ signal }) => call.run(recorder.account(call.code), { signal }),
    placeholderData: keepPreviousData,
    ...options,
  })
}

/** The same for a list of any length, page by page. */
export function usePages<T>(
  recorder: Recorder,
  panel: string,
  query: ListQuery,
  call: (query: ListQuery) => SdkCall<Page<T>>,
) {
  const { token } = useContext(SessionContext)
  return useInfiniteQuery<Page<T>, Error, InfiniteData<Page<T>>, unknown[], ListQuery>({
    queryKey: [PANEL, panel, token, call(query).code],
    queryFn: ({ signal, pageParam }) => {
      const page = call(pageParam)
      return page.run(recorder.account(page.code), { signal })
    },
    initialPageParam: query,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  })
}
