import { isTributaryError } from '@tributary-hub/client/errors.ts'
import { sleep } from '@tributary-hub/client/transport.ts'
import { useEffect, useState } from 'react'
import type { Recorder } from '../requests/recorder.ts'
import { type Happening, summaries } from './summaries.ts'

const FOLLOW = "for await (const { changes } of account.followChanges({ cursor: 'now' })) console.log(changes)"
const POLL_MS = 2500
/** Limit: entries that are kept. */
const MAX_KEPT = 12

let keys = 0

const withNews = (before: Happening[], news: Omit<Happening, 'key' | 'at'>[]): Happening[] =>
  [...news.map((each) => ({ key: (keys += 1), at: Date.now(), ...each })), ...before].slice(0, MAX_KEPT)

/** What has changed since the page was opened, as an app follows it, and what the person pressed. */
export function useChanges(recorder: Recorder, isReady: boolean, onChange: () => void) {
  const [happenings, setHappenings] = useState<Happening[]>([])
  useEffect(() => {
    if (!isReady) return undefined
    const ended = new AbortController()
    const { signal } = ended
    const follow = async () => {
      for (let cursor = 'now'; ; await sleep(POLL_MS, signal))
        try {
          const pages = recorder.account(FOLLOW).followChanges({ cursor }, { pollMs: POLL_MS, signal })
          for await (const page of pages) {
            ;({ cursor } = page)
            setHappenings((before) => withNews(before, summaries(page.changes)))
            onChange()
          }
        } catch (error) {
          // The access ended, which the session says. Everything else is the connection, which comes back.
          if (signal.aborted || (isTributaryError(error) && error.status < 500)) return
        }
    }
    follow().catch(() => {
      // The page moved on; nobody waits for this any more.
    })
    return () => ended.abort()
  }, [recorder, isReady, onChange])
  const tell = (sentence: string) => setHappenings((before) => withNews(before, [{ sentence, items: [] }]))
  return { happenings, tell }
}
