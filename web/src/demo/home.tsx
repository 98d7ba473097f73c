import { useCallback } from 'react'
import { Changes } from './changes/changes.tsx'
import { useChanges } from './changes/use-changes.ts'
import { type Action, type Control, type Session } from './demo-server.ts'
import { Feed } from './feed/feed.tsx'
import { Health } from './health/health.tsx'
import { ItemDialog } from './item/item-dialog.tsx'
import { Services } from './live/services.tsx'
import { useLive, useRefresh } from './live/use-live.ts'
import { Places } from './map/places.tsx'
import { NextSteps } from './next/next-steps.tsx'
import { People } from './people/people.tsx'
import { PersonDialog } from './people/person-dialog.tsx'
import { Photos } from './photos/photos.tsx'
import { useRecorder } from './requests/use-call.ts'
import { Summary } from './summary/summary.tsx'

const DONE: Record<Action, string> = {
  week_later: 'You let a week pass',
  down: 'You took it down',
  up: 'You brought it back',
  revoke: 'You revoked the access',
  throttle: 'You throttled it, and everything is read again',
  unthrottle: 'You ended the throttling',
}

/** The whole page of a connected person. */
export function Home({ session, controls }: { session: Session; controls: Control[] }) {
  const syncs = useRecorder()
  const changes = useRecorder()
  const refresh = useRefresh()
  const { overview, look } = useLive(syncs)
  const isReady = overview !== undefined && overview.state !== 'first_sync'
  const { happenings, tell } = useChanges(changes, isReady, refresh)
  const onAct = useCallback(
    (action: Action, service: string | undefined) => {
      const title = session.services.find((each) => each.service === service)?.title
      tell(title === undefined ? DONE[action] : `${title}: ${DONE[action]}`)
      look()
    },
    [look, session, tell],
  )
  return (
    <main className="home">
      <Summary />
      <Services recorder={syncs} overview={overview} controls={controls} news={happenings[0]?.sentence} onAct={onAct} />
      <Feed />
      <Photos />
      <Places />
      <People />
      <Health />
      <Changes recorder={changes} happenings={happenings} />
      <NextSteps session={session} />
      <ItemDialog />
      <PersonDialog />
    </main>
  )
}
