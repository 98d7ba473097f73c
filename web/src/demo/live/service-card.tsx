import { useQuery } from '@tanstack/react-query'
import type { EndpointProgress, Profile } from '@tributary-hub/client/generated/api.ts'
import { useContext } from 'react'
import { Badge } from '../../ui/badge.tsx'
import type { Action, Control, DemoService } from '../demo-server.ts'
import { PROGRESS } from '../keys.ts'
import type { Recorder } from '../requests/recorder.ts'
import { getProgress } from '../requests/sdk-calls.ts'
import { ServiceMark } from '../service-mark.tsx'
import { SessionContext } from '../session-context.ts'
import { endpointCount, endpointTrouble, isBusy, items, profileWords } from './words.ts'

/** How often a card looks at its progress: while something happens, and otherwise. */
const BUSY_MS = 1000
const QUIET_MS = 5000

/** One service: its state in words, a bar per endpoint, and what can go wrong with it. */
export function ServiceCard({
  service: { service, title, summary },
  profile,
  control,
  act,
  recorder,
}: {
  service: DemoService
  profile: Profile | undefined
  control: Control | undefined
  act: (action: Action, service: string) => void
  recorder: Recorder
}) {
  const connect = `/demo/connect?service=${encodeURIComponent(service)}`
  return (
    <li className="service">
      <div className="service-head">
        <ServiceMark service={service} />
        <h3>{title}</h3>
        {profile === undefined && (
          <a className="button quiet" href={connect}>
            Connect<span className="hidden-text"> {title}</span>
          </a>
        )}
      </div>
      {profile === undefined ? (
        <p className="soft">{summary}</p>
      ) : (
        <Progress
          profile={profile}
          recorder={recorder}
          connect={connect}
          title={title}
          isThrottling={control?.throttled === true}
        />
      )}
      {profile !== undefined && control !== undefined && (
        <fieldset className="service-controls">
          <legend className="hidden-text">What if, at {title}</legend>
          <button
            type="button"
            className="quiet"
            aria-pressed={control.down}
            onClick={() => act(control.down ? 'up' : 'down', service)}
          >
            This service is down
          </button>
          <button
            type="button"
            className="quiet"
            aria-pressed={control.throttled}
            onClick={() => act(control.throttled ? 'unthrottle' : 'throttle', service)}
          >
            Throttle
          </button>
          <button type="button" className="quiet" onClick={() => act('revoke', service)}>
            Revoke access
          </button>
        </fieldset>
      )}
    </li>
  )
}

function Progress({
  profile,
  recorder,
  connect,
  title,
  isThrottling,
}: {
  profile: Profile
  recorder: Recorder
  connect: string
  title: string
  isThrottling: boolean
}) {
  const { token } = useContext(SessionContext)
  const call = getProgress(profile.service)
  const { data } = useQuery({
    queryKey: [PROGRESS, token, call.code],
    queryFn: ({ signal }) => call.run(recorder.account(call.code), { signal }),
    refetchInterval: ({ state }) =>
      Object.values(state.data ?? {}).every((each) => each.state === 'done') ? QUIET_MS : BUSY_MS,
  })
  const endpoints = Object.entries(data ?? {})
  const words = profileWords(
    profile.state,
    endpoints.map(([, each]) => each),
    isThrottling,
  )
  const stored = endpoints.reduce((sum, [, each]) => sum + each.items, 0)
  return (
    <>
      <p className="service-state">
        <Badge tone={words.tone}>{words.label}</Badge> <strong>{items(stored)}</strong>
        {profile.handle !== undefined && <span className="soft"> of @{profile.handle}</span>}
      </p>
      {words.sentence !== undefined && <p className="service-sentence">{words.sentence}</p>}
      {profile.state === 'needs_auth' && (
        <a className="button" href={connect}>
          Sign in again<span className="hidden-text"> at {title}</span>
        </a>
      )}
      <ul className="endpoints">
        {endpoints.map(([name, each]) => (
          <Endpoint key={name} name={name} endpoint={each} isSignedOut={profile.state === 'needs_auth'} />
        ))}
      </ul>
    </>
  )
}

function Endpoint({ name, endpoint, isSignedOut }: { name: string; endpoint: EndpointProgress; isSignedOut: boolean }) {
  const trouble = isSignedOut ? '' : endpointTrouble(endpoint, Date.now())
  const isWrong = endpoint.state === 'failing' || endpoint.state === 'parked'
  return (
    <li className={isWrong ? 'endpoint endpoint-wrong' : isBusy(endpoint) ? 'endpoint endpoint-busy' : 'endpoint'}>
      <span className="endpoint-name">{name}</span>
      <progress max={1} value={endpoint.progress} aria-label={`${name} of the first sync`} />
      <span className="endpoint-count">{endpointCount(endpoint)}</span>
      {trouble !== '' && (
        <span className="endpoint-trouble" title={endpoint.last_error}>
          {trouble}
        </span>
      )}
    </li>
  )
}
