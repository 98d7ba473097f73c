import { call } from '@tributary-hub/client/core.ts'
import { type FormEvent, useState } from 'react'
import { asOperator } from '../../../api/core.ts'
import { ActionResult } from '../../../ui/action-result.tsx'
import { ConfirmButton } from '../../../ui/confirm-button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Field } from '../../../ui/field.tsx'
import { Time } from '../../../ui/time.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { keysChanged } from '../../changes.ts'
import { useIsOperator } from '../../session.ts'
import { KeyTest } from './key-test.tsx'
import { linesOfPairs, pairsIn } from './override-lines.ts'
import { OverridesField } from './overrides-field.tsx'
import type { KeyOfService, ServiceEntry, ShownApp } from './shown-app.ts'

const ADDRESSES = {
  callback: 'Callback address',
  hook: 'Webhook address',
  deletion: 'Data deletion address',
  deauthorize: 'Deauthorization address',
} as const

/** An app's key for one service: the addresses to paste there, the key, and its test. */
export function KeyEditor({
  app,
  name,
  service,
  stored,
}: {
  app: ShownApp
  name: string
  service: ServiceEntry
  stored: KeyOfService | undefined
}) {
  const [key, setKey] = useState(stored?.key ?? '')
  const [secret, setSecret] = useState('')
  const [hookSecret, setHookSecret] = useState('')
  const [hookId, setHookId] = useState('')
  const [scope, setScope] = useState(stored?.scope ?? '')
  const [overrides, setOverrides] = useState(linesOfPairs(stored?.overrides ?? {}))
  const [settings, setSettings] = useState<Record<string, string>>({})
  const isOperator = useIsOperator() === true
  const action = useAction()
  const path = { client_id: app.client_id, service: name }
  const save = (event: FormEvent) => {
    event.preventDefault()
    const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== ''))
    const body = {
      key,
      secret,
      ...(hookSecret === '' ? {} : { hook_secret: hookSecret }),
      ...(hookId === '' ? {} : { hook_id: hookId }),
      ...(scope === '' ? {} : { scope }),
      ...(isOperator ? { overrides: pairsIn(overrides) } : {}),
      ...(Object.keys(given).length === 0 ? {} : { settings: given }),
    }
    void action
      .run(
        keysChanged(app.client_id),
        () => call(asOperator, 'PUT /admin/apps/{client_id}/keys/{service}', { path, body }),
        'Saved.',
      )
      .then((isSaved) => isSaved && setSecret(''))
  }
  const remove = async () => {
    await call(asOperator, 'DELETE /admin/apps/{client_id}/keys/{service}', { path })
    await action.run(keysChanged(app.client_id), async () => undefined, 'The keys are deleted.')
  }
  return (
    <div className="stack">
      <section className="card stack" aria-label={`Addresses for ${service.title}`}>
        <div className="row apart">
          <h2>{service.title}</h2>
          <a href={service.docs} target="_blank" rel="noreferrer">
            Documentation of the service
          </a>
        </div>
        <p className="soft">Enter at the service, in the settings of your app:</p>
        {Object.entries(ADDRESSES).map(([kind, title]) => {
          const address = service.addresses?.[kind as keyof typeof ADDRESSES]
          return (
            address !== undefined && (
              <div key={kind} className="row apps-address">
                <span className="soft">{title}</span>
                <code>{address}</code>
                <CopyButton text={address} label={`Copy ${title.toLowerCase()}`} />
              </div>
            )
          )
        })}
        {service.callback_fault !== undefined && <p className="notice warn">{service.callback_fault}</p>}
        {service.conditions.length > 0 && (
          <>
            <h3>What the service demands</h3>
            <ul>
              {service.conditions.map(({ says, source, checked }) => (
                <li key={says}>
                  {says}{' '}
                  <a href={source} target="_blank" rel="noreferrer">
                    Source{checked === undefined ? '' : ` (${checked})`}
                  </a>
                </li>
              ))}
            </ul>
          </>
        )}
      </section>
      <form className="card stack apps-form" onSubmit={save} aria-label={`Keys for ${service.title}`}>
        <div className="row apart">
          <h3>{stored === undefined ? 'Enter the keys' : 'Replace the keys'}</h3>
          {stored !== undefined && (
            <span className="soft">
              set <Time at={stored.updated_at} />
            </span>
          )}
        </div>
        {stored !== undefined && (
          <div role="group" aria-label="The keys in use">
            <div className="row apps-address">
              <span className="soft">Key in use</span>
              <code>{stored.key}</code>
              <CopyButton text={stored.key} label="Copy the key" />
            </div>
            <div className="row apps-address">
              <span className="soft">Secret</span>
              <span>
                <span aria-hidden="true">•••••••• </span>sealed, never shown
              </span>
            </div>
          </div>
        )}
        {!service.needs_keys && (
          <p className="soft">
            This service requires no keys. Set some only to use an app that you registered yourself.
          </p>
        )}
        <Field label="Key" hint="Client id, consumer key or app id.">
          <input value={key} required autoComplete="off" onChange={({ target }) => setKey(target.value)} />
        </Field>
        <Field
          label="Secret"
          hint={
            stored === undefined
              ? 'Sealed at rest and never shown again.'
              : 'Sealed. Type it again to save a change; empty: a public client.'
          }
        >
          <input
            type="password"
            value={secret}
            autoComplete="new-password"
            onChange={({ target }) => setSecret(target.value)}
          />
        </Field>
        {service.settings.map(({ name: setting, title, required, secret: isSecret }) => (
          <Field key={setting} label={title} hint={required ? undefined : 'Optional.'}>
            <input
              type={isSecret ? 'password' : 'text'}
              required={required}
              autoComplete="off"
              value={settings[setting] ?? ''}
              onChange={({ target }) => setSettings({ ...settings, [setting]: target.value })}
            />
          </Field>
        ))}
        <details>
          <summary>Scope, webhooks and other addresses</summary>
          <div className="stack apps-more">
            <Field label="Scope" hint="Requested instead of the default of the service.">
              <input value={scope} onChange={({ target }) => setScope(target.value)} />
            </Field>
            {service.addresses?.hook !== undefined && (
              <>
                <Field label="Secret of webhooks" hint="Only if it is another one than above.">
                  <input
                    type="password"
                    value={hookSecret}
                    autoComplete="new-password"
                    onChange={({ target }) => setHookSecret(target.value)}
                  />
                </Field>
                <Field label="Id of the webhook" hint="Where subscriptions of the service name one (X).">
                  <input value={hookId} onChange={({ target }) => setHookId(target.value)} />
                </Field>
              </>
            )}
            <OverridesField
              isOperator={isOperator}
              stored={stored?.overrides ?? {}}
              value={overrides}
              onChange={setOverrides}
            />
          </div>
        </details>
        <ActionResult action={action} />
        <div className="row">
          <button type="submit" disabled={action.isBusy}>
            Save keys
          </button>
          {stored !== undefined && (
            <ConfirmButton label="Delete keys" title={`Delete the keys for ${service.title}`} onConfirm={remove}>
              Nobody can connect {service.title} then, and syncs of connected people stop.
            </ConfirmButton>
          )}
        </div>
      </form>
      <KeyTest app={app} name={name} service={service} isSet={stored !== undefined} />
    </div>
  )
}
