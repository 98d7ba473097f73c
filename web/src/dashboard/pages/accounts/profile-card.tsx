import { call } from '@tributary-hub/client/core.ts'
import type { AccountProfile } from '@tributary-hub/client/generated/api.ts'
import { useState } from 'react'
import { app, account as forAccount } from '../../../api/core.ts'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { ConfirmButton } from '../../../ui/confirm-button.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { Time } from '../../../ui/time.tsx'
import { useAction, useReadAgain } from '../../../ui/use-action.ts'
import { erased, profilesChanged } from '../../changes.ts'
import { ProfileState } from '../../profile-state.tsx'
import { EndpointTable } from './endpoint-table.tsx'
import { useSync } from './use-sync.ts'

interface Props {
  clientId: string
  account: string
  profile: AccountProfile
}

/** A profile: who it is, what was granted, its sync per endpoint, and what can be done. */
export function ProfileCard({ clientId, account, profile }: Props) {
  const { query, isLive, expect } = useSync(account, profile.profile)
  const heading = `profile-${profile.profile}`
  return (
    <section className="card accounts-profile" aria-labelledby={heading}>
      <div className="row apart">
        <h2 id={heading}>
          {profile.service}: {profile.name ?? profile.handle ?? profile.profile}
        </h2>
        <span className="row">
          {isLive && <span className="soft">syncing…</span>}
          <ProfileState state={profile.state} />
        </span>
      </div>
      <p className="soft">
        <code>{profile.profile}</code> {profile.email !== undefined && `· ${profile.email} `}· connected{' '}
        <Time at={profile.connected_at} /> · last sync <Time at={profile.synced_at} />
      </p>
      {profile.error !== undefined && <p className="notice bad">{profile.error}</p>}
      <Scopes granted={profile.scope} />
      <Actions {...{ clientId, account, profile, expect }} />
      <QueryView query={query}>
        {(progress) => (
          <EndpointTable
            clientId={clientId}
            account={account}
            profile={profile.profile}
            progress={progress}
            onRequested={expect}
          />
        )}
      </QueryView>
    </section>
  )
}

function Scopes({ granted }: { granted: string | undefined }) {
  if (granted === undefined) return null
  const scopes = granted.split(/[\s,]+/).filter((scope) => scope !== '')
  return (
    <p className="row">
      <span className="soft">Granted:</span>
      {scopes.length === 0 ? 'no scopes' : scopes.map((scope) => <code key={scope}>{scope}</code>)}
    </p>
  )
}

function Actions({ clientId, account, profile, expect }: Props & { expect: () => void }) {
  const { run, isBusy, error } = useAction()
  const readAgain = useReadAgain()
  const [link, setLink] = useState<string>()
  const path = { profile: profile.profile }
  const { core } = forAccount(account)
  const inApp = { id: account, profile: profile.profile }
  const isPaused = profile.state === 'paused'
  const act = (action: () => Promise<unknown>) =>
    run(profilesChanged(clientId, account), async () => {
      await action()
      expect()
    })
  const button = (label: string, action: () => Promise<unknown>, isDisabled = false) => (
    <button type="button" className="quiet" disabled={isDisabled || isBusy} onClick={() => void act(action)}>
      {label}
    </button>
  )
  return (
    <>
      <div className="row">
        {button('Sync now', () => call(core, 'POST /profiles/{profile}/sync', { path, body: {} }), isPaused)}
        {isPaused
          ? button('Resume', () =>
              call(app(clientId).core, 'POST /accounts/{id}/profiles/{profile}/resume', { path: inApp }),
            )
          : button('Pause', () =>
              call(app(clientId).core, 'POST /accounts/{id}/profiles/{profile}/pause', { path: inApp }),
            )}
        {button('Reconnect link', async () => {
          const created = await call(app(clientId).core, 'POST /accounts/{id}/profiles/{profile}/reconnect', {
            path: inApp,
            body: {},
          })
          setLink(created.url)
        })}
        {!isPaused && (
          <ConfirmButton
            label="Reset"
            title="Read everything again"
            onConfirm={() => act(() => call(core, 'POST /profiles/{profile}/reset', { path }))}
          >
            <p>Watermarks are forgotten, and every endpoint is read from its beginning. Stored items stay.</p>
          </ConfirmButton>
        )}
        <ConfirmButton
          label="Disconnect"
          title={`Disconnect ${profile.service}`}
          typed={profile.service}
          onConfirm={async () => {
            await call(core, 'DELETE /profiles/{profile}', { path })
            await readAgain(erased(clientId, account))
          }}
        >
          <p>
            The items of this profile are erased, here and at all destinations, and its token is revoked at the service.
          </p>
        </ConfirmButton>
      </div>
      {error !== undefined && <ErrorNotice error={error} />}
      {link !== undefined && (
        <div className="notice">
          <p>Send this link to the person. It works once, for a short time; the profile and its items stay.</p>
          <CodeBlock text={link} label="Reconnect link" />
        </div>
      )}
    </>
  )
}
