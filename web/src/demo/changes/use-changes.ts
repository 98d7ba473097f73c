import { isTributaryError } from '@tributary-hub/client/errors.ts'
import type { Change, Item } from '@tributary-hub/client/generated/api.ts'
import { sleep } from '@tributary-hub/client/transport.ts'
import { useEffect, useState } from 'react'
import { serviceOf, titleOf } from '../item/item-words.ts'
import type { Recorder } from '../requests/recorder.ts'

export interface Happening {
  key: number
  at: number
  sentence: string
  /** Items that can be opened. */
  items: { id: string; title: string }[]
}

const FOLLOW = "for await (const { changes } of account.followChanges({ cursor: 'now' })) console.log(changes)"
const POLL_MS = 2500
/** Limit: entries that are kept, and items that each names. */
const MAX_KEPT = 12
const MAX_NAMED = 5

let keys = 0

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
            setHappenings((before) => [...summaries(page.changes), ...before].slice(0, MAX_KEPT))
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
  const tell = (sentence: string) =>
    setHappenings((before) => [{ key: (keys += 1), at: Date.now(), sentence, items: [] }, ...before].slice(0, MAX_KEPT))
  return { happenings, tell }
}

/** One sentence per service. */
function summaries(changes: readonly Change[]): Happening[] {
  const services = [...new Set(changes.map(serviceIn))]
  return services.map((service) => {
    const list = changes.filter((change) => serviceIn(change) === service)
    const stored = list.flatMap((each) => (each.change === 'upsert' ? [each.item as Pick<Item, 'id' | 'oembed'>] : []))
    const deleted = list.filter((each) => each.change === 'delete').length
    const parts = [
      ...(stored.length === 0 ? [] : [`${stored.length} new or changed`]),
      ...(deleted === 0 ? [] : [`${deleted} deleted`]),
      ...(list.some((each) => each.change === 'profile_removed') ? ['disconnected'] : []),
    ]
    const items = stored.slice(0, MAX_NAMED).map((item) => ({ id: item.id, title: titleOf(item) }))
    return { key: (keys += 1), at: Date.now(), sentence: `${service}: ${parts.join(', ')}`, items }
  })
}

function serviceIn(change: Change): string {
  if (change.change === 'profile_removed') return change.profile.replace(/^.*@/, '')
  return serviceOf(change.change === 'delete' ? change : (change.item as Pick<Item, 'idr'>))
}
