import { call, type ResponseOf } from '@tributary-hub/client/core.ts'
import { useState } from 'react'
import { asOperator } from '../../../api/core.ts'
import { ActionResult } from '../../../ui/action-result.tsx'
import { Findings } from '../../../ui/findings.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { appChanged, tried } from '../../changes.ts'
import { type ServiceEntry, type ShownApp, triedAddress } from './shown-app.ts'

type Tested = ResponseOf<'POST /admin/apps/{client_id}/keys/{service}/test'>

const STEPS: Record<Tested['steps'][number]['step'], string> = {
  callback: 'Callback address',
  addresses: 'Addresses of the service',
  sign_in_page: 'Sign-in page',
  keys: 'Key and secret',
}
const HINTS: Record<string, string> = {
  keys_refused:
    'Copy the key and the secret from the service again. Some services show several: use those of the same app.',
  request_refused: 'Enter the callback address above at the service, exactly as it is.',
  callback_refused: 'No sign-in can succeed before this is changed.',
  address_refused: 'Private addresses are refused unless the operator allows the network (TRIBUTARY_ALLOW_PRIVATE).',
  address_wrong: 'Check the overrides.',
  unknown: 'Only a sign-in shows it: try one below.',
  service_unreachable: 'The service does not answer, or the address is wrong.',
}
const RESULTS: Record<Tested['result'], string> = {
  ok: 'The keys work.',
  failed: 'The keys do not work yet.',
  unknown: 'Nothing is wrong as far as the service tells.',
}

/** Tries the stored keys, and offers a real sign-in. */
export function KeyTest({
  app,
  name,
  service,
  isSet,
}: {
  app: ShownApp
  name: string
  service: ServiceEntry
  isSet: boolean
}) {
  const [tested, setTested] = useState<Tested>()
  const action = useAction()
  const test = () =>
    action.run(tried, async () => {
      const path = { client_id: app.client_id, service: name }
      setTested(await call(asOperator, 'POST /admin/apps/{client_id}/keys/{service}/test', { path }))
    })
  const isReady = isSet || !service.needs_keys
  return (
    <section className="card stack" aria-label={`Test of ${service.title}`}>
      <h3>Does it work?</h3>
      <div className="row">
        <button type="button" disabled={!isReady || action.isBusy} onClick={() => void test()}>
          {action.isBusy ? 'Testing…' : 'Test these keys'}
        </button>
        {!isReady && <span className="soft">Save keys first.</span>}
      </div>
      <ActionResult action={action} />
      {tested !== undefined && (
        <>
          <p role="status">
            <strong>{RESULTS[tested.result]}</strong>
          </p>
          <Findings
            label="Steps of the test"
            findings={tested.steps.map(({ step, result, reason, detail }) => ({
              title: STEPS[step],
              result,
              detail,
              hint: result === 'ok' ? undefined : HINTS[reason],
            }))}
          />
        </>
      )}
      {isReady && <TrySignIn app={app} name={name} />}
    </section>
  )
}

/** A sign-in that returns to the dashboard, if the app allows that address. */
function TrySignIn({ app, name }: { app: ShownApp; name: string }) {
  const action = useAction()
  const address = triedAddress(app.client_id)
  if (app.redirect_uris.includes(address)) {
    const query = new URLSearchParams({ client_id: app.client_id, redirect_uri: address, services: name })
    return (
      <p>
        <a className="button quiet" href={`/connect?${query.toString()}`}>
          Try the sign-in
        </a>
      </p>
    )
  }
  const add = () =>
    action.run(appChanged(app.client_id), () =>
      call(asOperator, 'PATCH /admin/apps/{client_id}', {
        path: { client_id: app.client_id },
        body: { redirect_uris: [...app.redirect_uris, address] },
      }),
    )
  return (
    <div className="stack">
      <p className="soft">
        To try a real sign-in from here, this page must be a redirect address of the app: <code>{address}</code>
      </p>
      <ActionResult action={action} />
      <div className="row">
        <button type="button" className="quiet" disabled={action.isBusy} onClick={() => void add()}>
          Add this redirect address
        </button>
      </div>
    </div>
  )
}
