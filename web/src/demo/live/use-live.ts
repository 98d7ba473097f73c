import { useQueryClient } from '@tanstack/react-query'
import { isTributaryError } from '@tributary-hub/client/errors.ts'
import { sleep } from '@tributary-hub/client/transport.ts'
import { useCallback, useEffect, useState } from 'react'
import { PANEL, PROGRESS, SESSION } from '../keys.ts'
import type { Recorder } from '../requests/recorder.ts'
import type { Overview } from './words.ts'

const FOLLOW = 'for await (const { progress } of account.sync.follow()) console.log(progress)'
/** After a sync has ended, how long until the page looks again. */
const LOOK_AGAIN_MS = 5000
const REFRESH_MS = 2000
/** Limit: pages of a list that are loaded again on their own; a longer one stays as the reader left it. */
const MAX_REFRESHED_PAGES = 3

/** Follows the syncs of all profiles by one stream, and loads again what the panels show when something has arrived. */
export function useLive(recorder: Recorder): {
  overview: Overview | undefined
  /** Looks at once: something was changed that a sync will see. */
  look: () => void
} {
  const [overview, setOverview] = useState<Overview>()
  const [round, setRound] = useState(0)
  const refresh = useRefresh()
  const client = useQueryClient()
  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    const follow = async () => {
      for (;;) {
        try {
          for await (const { progress } of recorder.account(FOLLOW).sync.follow({ signal })) {
            setOverview(progress)
            refresh()
          }
        } catch (error) {
          if (signal.aborted) return
          // The access ended, in another tab for example: the session says so. Everything else is the connection, which comes back.
          if (isTributaryError(error) && error.status < 500) return client.invalidateQueries({ queryKey: [SESSION] })
        }
        await sleep(LOOK_AGAIN_MS, signal)
      }
    }
    follow().catch(() => {
      // The page moved on; nobody waits for this any more.
    })
    return () => ended.abort()
  }, [recorder, refresh, client, round])
  const look = useCallback(() => setRound((before) => before + 1), [])
  return { overview, look }
}

const isShort = ({ state }: { state: { data: unknown } }): boolean =>
  ((state.data as { pages?: unknown[] } | undefined)?.pages?.length ?? 0) <= MAX_REFRESHED_PAGES

/** Loads the panels again, at once and then at most once in a while; a request that is on its way is never cancelled. */
export function useRefresh(): () => void {
  const client = useQueryClient()
  const [refresh] = useState(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isDue = false
    const load = () => {
      // What is loading already may miss what has just arrived: it goes on, and is loaded again afterwards.
      isDue = client.isFetching({ queryKey: [PANEL] }) + client.isFetching({ queryKey: [PROGRESS] }) > 0
      const running = { cancelRefetch: false }
      void client.invalidateQueries({ queryKey: [PROGRESS] }, running)
      void client.invalidateQueries({ queryKey: [PANEL], predicate: isShort }, running)
      timer = setTimeout(() => {
        timer = undefined
        if (isDue) load()
      }, REFRESH_MS)
    }
    return () => {
      if (timer === undefined) load()
      else isDue = true
    }
  })
  return refresh
}
