import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ConnectionError } from '@tributary-hub/client/errors.ts'
import { useContext } from 'react'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { type Action, type Control, control } from '../demo-server.ts'
import { CONTROLS, PANEL, PROGRESS } from '../keys.ts'
import type { Recorder } from '../requests/recorder.ts'
import { RequestBar } from '../requests/request-bar.tsx'
import { listProfiles, readAgain, type SdkCall, syncNow } from '../requests/sdk-calls.ts'
import { SessionContext } from '../session-context.ts'
import { ServiceCard } from './service-card.tsx'
import { headline, type Overview, profileOf } from './words.ts'
import './live.css'

const PROFILES_MS = 2500

/** The three services: what is being read, live, and the buttons that make something happen. */
export function Services({
  recorder,
  overview,
  controls,
  news,
  onAct,
}: {
  recorder: Recorder
  overview: Overview | undefined
  controls: Control[]
  /** What happened last. */
  news: string | undefined
  onAct: (action: Action, service: string | undefined) => void
}) {
  const { session, token } = useContext(SessionContext)
  const client = useQueryClient()
  const call = listProfiles()
  const profiles = useQuery({
    queryKey: [PROGRESS, token, call.code],
    queryFn: ({ signal }) => call.run(recorder.account(call.code), { signal }),
    refetchInterval: PROFILES_MS,
  })
  const isOffline = (profiles.failureReason ?? profiles.error) instanceof ConnectionError
  const acting = useMutation({
    mutationFn: async ({ action, service }: { action: Action; service?: string }) => {
      await control(action, service)
      onAct(action, service)
      // A sync is due in minutes, and its failure is what these are to show. After the others, the demo's server syncs.
      if (service !== undefined && action === 'down') await run(syncNow(service), recorder)
      // A few calls are still allowed, which is enough for what is new: everything must be read.
      if (service !== undefined && action === 'throttle') await run(readAgain(service), recorder)
    },
    onSettled: () =>
      Promise.all([CONTROLS, PROGRESS, PANEL].map((first) => client.invalidateQueries({ queryKey: [first] }))),
  })
  return (
    <section className="services" aria-labelledby="services">
      <header className="services-head">
        <h2 id="services">{isOffline ? 'The server does not answer. Trying again …' : headline(overview)}</h2>
        {overview !== undefined && (
          <progress
            max={overview.endpoints.of}
            value={overview.endpoints.done}
            aria-label="Endpoints that were read to their end"
          />
        )}
        {controls.length > 0 && (
          <button
            type="button"
            className="quiet"
            disabled={acting.isPending}
            onClick={() => acting.mutate({ action: 'week_later' })}
          >
            A week later
          </button>
        )}
      </header>
      <p className="services-news" role="status">
        {news !== undefined && (
          <>
            {news}. <a href="#changes">What changed</a>
          </>
        )}
      </p>
      {acting.error !== null && <ErrorNotice error={acting.error} />}
      <ul className="services-list">
        {session.services.map((each) => (
          <ServiceCard
            key={each.service}
            service={each}
            profile={profileOf(profiles.data, each.service)}
            control={controls.find(({ service }) => service === each.service)}
            act={(action, service) => acting.mutate({ action, service })}
            recorder={recorder}
          />
        ))}
      </ul>
      <RequestBar recorder={recorder} of="the sync" main="/sync" />
    </section>
  )
}

const run = (call: SdkCall<unknown>, recorder: Recorder) => call.run(recorder.account(call.code), {})
