import { call } from '@tributary-hub/client/core.ts'
import { type FormEvent, useState } from 'react'
import { asOperator } from '../../../api/core.ts'
import { ActionResult } from '../../../ui/action-result.tsx'
import { CheckField } from '../../../ui/check-field.tsx'
import { Field } from '../../../ui/field.tsx'
import { linesOf } from '../../../ui/lines.ts'
import { useAction } from '../../../ui/use-action.ts'
import { appChanged } from '../../changes.ts'
import { OfferedField } from './offered-field.tsx'
import type { ShownApp } from './shown-app.ts'

/** Name, redirect addresses, flows and what agents may do. */
export function SettingsForm({ app }: { app: ShownApp }) {
  const [name, setName] = useState(app.name)
  const [uris, setUris] = useState(app.redirect_uris.join('\n'))
  const [tokenFlow, setTokenFlow] = useState(app.token_flow)
  const [isPublic, setPublic] = useState(app.public)
  const [apply, setApply] = useState(app.apply)
  const [hasAgents, setAgents] = useState(app.agents !== undefined)
  const [agentUris, setAgentUris] = useState((app.agents?.redirect_uris ?? []).join('\n'))
  const [agentWrites, setAgentWrites] = useState((app.agents?.write_services ?? []).join('\n'))
  const [offered, setOffered] = useState(app.services?.join('\n'))
  const action = useAction()
  const save = (event: FormEvent) => {
    event.preventDefault()
    const agents = hasAgents ? { redirect_uris: linesOf(agentUris), write_services: linesOf(agentWrites) } : null
    const body = {
      name,
      redirect_uris: linesOf(uris),
      token_flow: tokenFlow,
      public: isPublic,
      apply,
      services: offered === undefined ? null : linesOf(offered),
      ...(hasAgents || app.agents !== undefined ? { agents } : {}),
    }
    void action.run(
      appChanged(app.client_id),
      () => call(asOperator, 'PATCH /admin/apps/{client_id}', { path: { client_id: app.client_id }, body }),
      'Saved.',
    )
  }
  return (
    <form className="card stack apps-form" onSubmit={save} aria-label="Settings">
      <Field label="Name" hint="People see it when they are asked for consent.">
        <input value={name} required maxLength={100} onChange={({ target }) => setName(target.value)} />
      </Field>
      <Field label="Redirect addresses" hint="One on each line, compared exactly. http only for localhost.">
        <textarea rows={4} value={uris} required onChange={({ target }) => setUris(target.value)} />
      </Field>
      <CheckField
        label="Token flow"
        hint="Allow response_type=token: the access token comes in the redirect, without a code."
        checked={tokenFlow}
        onChange={setTokenFlow}
      />
      <CheckField
        label="Public client"
        hint="A mobile or browser app that cannot keep a secret: it exchanges codes by PKCE."
        checked={isPublic}
        onChange={setPublic}
      />
      <Field
        label="Tokens that apply accepts"
        hint="With “proven”, only tokens that the service confirms it issued to this app."
      >
        <select value={apply} onChange={({ target }) => setApply(target.value as ShownApp['apply'])}>
          <option value="proven">proven</option>
          <option value="any">any</option>
        </select>
      </Field>
      <OfferedField names={offered} onChange={setOffered} />
      <CheckField
        label="Agents"
        hint="People may let agents read, and where you list services also write, over MCP. Turning it off ends their access at once."
        checked={hasAgents}
        onChange={setAgents}
      />
      {hasAgents && (
        <>
          <Field label="Redirect addresses of agents" hint="One on each line.">
            <textarea rows={2} value={agentUris} onChange={({ target }) => setAgentUris(target.value)} />
          </Field>
          <Field label="Services that agents may write to" hint="Names, one on each line; empty: none.">
            <textarea rows={2} value={agentWrites} onChange={({ target }) => setAgentWrites(target.value)} />
          </Field>
        </>
      )}
      <ActionResult action={action} />
      <div className="row">
        <button type="submit" disabled={action.isBusy}>
          Save settings
        </button>
      </div>
    </form>
  )
}
