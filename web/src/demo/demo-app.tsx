import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { setAddress } from './address.ts'
import { type Control, forgetSession, readControls, readSession, type Session } from './demo-server.ts'
import { Home } from './home.tsx'
import { CONTROLS, PANEL, PROGRESS, SESSION } from './keys.ts'
import { createRecorder } from './requests/recorder.ts'
import { eraseAccount } from './requests/sdk-calls.ts'
import { SessionContext } from './session-context.ts'
import { TopBar } from './top-bar.tsx'
import { Welcome } from './welcome/welcome.tsx'

const SESSION_MS = 15_000
const CONTROLS_MS = 5000
const HOUR_MS = 3_600_000

export function DemoApp() {
  const client = useQueryClient()
  const session = useQuery({
    queryKey: [SESSION],
    queryFn: ({ signal }) => readSession(signal),
    refetchInterval: SESSION_MS,
  })
  const { data, error, refetch } = session
  const failure = useFailure()
  const [isLeaving, setLeaving] = useState(false)
  const startOver = async () => {
    const token = session.data?.access_token
    const call = eraseAccount()
    // First the panels go: they would ask with a token that has ended.
    setLeaving(true)
    try {
      if (token !== undefined) await call.run(createRecorder(token).account(call.code), {})
      await forgetSession()
      setAddress({ item: undefined, person: undefined, q: undefined, type: undefined }, false)
      for (const first of [CONTROLS, PROGRESS, PANEL]) client.removeQueries({ queryKey: [first] })
      await refetch()
    } finally {
      setLeaving(false)
    }
  }
  return (
    <>
      <TopBar isConnected={data?.access_token !== undefined} onStartOver={startOver} />
      {error !== null && <ErrorNotice error={error} retry={refetch} />}
      {isLeaving && (
        <main className="home">
          <p role="status">Erasing Ada’s account …</p>
        </main>
      )}
      {!isLeaving && data !== undefined && data.access_token === undefined && (
        <Welcome session={data} failure={failure} />
      )}
      {!isLeaving && data?.access_token !== undefined && (
        <SignedIn key={data.access_token} session={data} token={data.access_token} failure={failure} />
      )}
    </>
  )
}

function SignedIn({ session, token, failure }: { session: Session; token: string; failure: string | undefined }) {
  const controls = useQuery({
    queryKey: [CONTROLS],
    queryFn: ({ signal }) => readControls(signal),
    refetchInterval: CONTROLS_MS,
  })
  const until = aheadOf(controls.data ?? [])
  const value = useMemo(() => ({ token, session, until }), [token, session, until])
  return (
    <SessionContext value={value}>
      {failure !== undefined && (
        <div className="notice bad" role="alert">
          {failure}
        </div>
      )}
      {session.exposed && (
        <div className="notice warn">
          Others can reach this demo, and everybody who does shares its services. So the buttons that change them are
          off.
        </div>
      )}
      <Home session={session} controls={session.exposed ? [] : (controls.data ?? [])} />
    </SessionContext>
  )
}

/** Where a service is ahead of the present, lists must be asked for the time until then; to the hour, so that it rarely changes. */
function aheadOf(controls: readonly Control[]): number | undefined {
  const latest = Math.max(0, ...controls.map(({ now }) => now))
  return latest > Date.now() + HOUR_MS ? Math.ceil(latest / HOUR_MS) * HOUR_MS : undefined
}

/** Why a sign-in failed, from the address it returned to; the address is cleaned, so that a reload does not say it again. */
function useFailure(): string | undefined {
  const [failure] = useState(() => {
    const parameters = new URLSearchParams(location.search)
    return parameters.get('error_description') ?? parameters.get('error') ?? undefined
  })
  useEffect(() => setAddress({ error: undefined, error_description: undefined }, false), [])
  return failure
}
