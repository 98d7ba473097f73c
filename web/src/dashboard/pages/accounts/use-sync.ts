import { useQuery, useQueryClient } from '@tanstack/react-query'
import { followProgress } from '@tributary-hub/client/follow.ts'
import type { SyncProgress } from '@tributary-hub/client/generated/api.ts'
import { useEffect, useState } from 'react'
import { account as forAccount, request } from '../../../api/core.ts'

const REFRESH_MS = 10_000
/** A sync that was just requested begins within a moment. */
const QUICK_MS = 700
const QUICK_FOR_MS = 20_000

const isUnderWay = (progress: SyncProgress | undefined) =>
  progress !== undefined && Object.values(progress).some(({ state }) => state === 'waiting' || state === 'running')

/** The sync of a profile per endpoint: live while it is under way, otherwise refreshed. `expect` says that one was requested. */
export function useSync(account: string, profile: string) {
  const [quickUntil, setQuickUntil] = useState(0)
  const queries = useQueryClient()
  const who = forAccount(account)
  const options = request(who, 'GET /profiles/{profile}/sync', { path: { profile } })
  const query = useQuery({
    ...options,
    refetchInterval: () => (Date.now() < quickUntil ? QUICK_MS : REFRESH_MS),
  })
  const isLive = isUnderWay(query.data)
  useEffect(() => {
    if (!isLive) return undefined
    const ended = new AbortController()
    const follow = async () => {
      const events = followProgress(forAccount(account).core, 'GET /profiles/{profile}/sync', {
        path: { profile },
        options: { signal: ended.signal },
      })
      for await (const { progress } of events) queries.setQueryData([...options.queryKey], progress)
    }
    follow().catch(() => {
      // The page was left, or the profile is gone; the query shows what is the case.
    })
    return () => ended.abort()
    // The key has the same values for the same account and profile.
  }, [isLive, account, profile, queries])
  return {
    query,
    isLive,
    expect: () => setQuickUntil(Date.now() + QUICK_FOR_MS),
  }
}
