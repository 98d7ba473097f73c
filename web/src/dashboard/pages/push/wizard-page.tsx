import { useNavigate } from '@tanstack/react-router'
import { call } from '@tributary-hub/client/core.ts'
import { type FormEvent, useState } from 'react'
import { asApp } from '../../../api/core.ts'
import { ActionResult } from '../../../ui/action-result.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Field } from '../../../ui/field.tsx'
import { OnceSecret } from '../../../ui/once-secret.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { useAddress } from '../../address.ts'
import { destinationsChanged } from '../../changes.ts'
import { useCurrentApp } from '../../current-app.ts'
import { PageTitle } from '../../page-title.tsx'
import { newDestinationSearch } from '../../search.ts'
import { DraftTest } from './draft-test.tsx'
import { FilterField } from './filter-field.tsx'
import { filterIn } from './filter-lines.ts'
import { isKind, KINDS } from './kinds.ts'
import { OptionFields } from './option-fields.tsx'
import { type OptionTexts, optionsIn } from './option-texts.ts'
import { useOptions } from './options.ts'
import { Preview } from './preview.tsx'
import { RightsScript } from './rights-script.tsx'
import { ScheduleChoices, ScheduleField } from './schedule-field.tsx'
import { OPTION, setPlace, textsInAddress } from './wizard-address.ts'
import './page.css'

/** Adds a destination. What is not secret is in the address, so that a reload keeps it. */
export default function WizardPage() {
  const app = useCurrentApp()
  if (app === undefined) return <p>There is no app yet.</p>
  return <Wizard key={app} app={app} />
}

function Wizard({ app }: { app: string }) {
  const [address, change] = useAddress(newDestinationSearch)
  const { kind: chosen, name = '', filter = '*', schedule = 'on_change', place = '' } = address
  const kind = chosen !== undefined && isKind(chosen) ? chosen : 'postgres'
  const [url, setUrl] = useState('')
  const [made, setMade] = useState<{ id: string; secret: string | undefined }>()
  const action = useAction()
  const navigate = useNavigate()
  // A certificate is too long for an address.
  const [long, setLong] = useState<OptionTexts>({})
  const { options: known, error: unknown } = useOptions(app, kind)
  const offered = known ?? []
  const texts = { ...long, ...textsInAddress(address) }
  const draft = { kind, url, filter: filterIn(filter), options: optionsIn(offered, texts) }
  const leave = (id: string) => navigate({ to: '/push/$destination', params: { destination: id }, search: { app } })
  const start = (event: FormEvent) => {
    event.preventDefault()
    void action.run(destinationsChanged(app), async () => {
      const { id, secret } = await call(asApp(app), 'POST /push', { body: { ...draft, name, schedule } })
      if (secret === undefined) await leave(id)
      else setMade({ id, secret })
    })
  }
  if (made?.secret !== undefined)
    return (
      <div className="stack">
        <PageTitle title={`${name} is added`} />
        <OnceSecret label="Signing secret." secret={made.secret} />
        <div className="row">
          <button type="button" onClick={() => void leave(made.id)}>
            Go to the destination
          </button>
        </div>
      </div>
    )
  const keep = (changes: Parameters<typeof change>[0]) => change(changes, { replace: true })
  return (
    <form className="stack push-wizard" onSubmit={start} aria-label="New destination">
      <PageTitle title="Add a destination" />
      <ScheduleChoices />
      <fieldset className="card">
        <legend>
          <h2>1. Where to?</h2>
        </legend>
        <div className="columns">
          {Object.entries(KINDS).map(([each, { title, summary }]) => (
            <label key={each} className="push-kind">
              <input type="radio" name="kind" checked={each === kind} onChange={() => change({ kind: each })} />
              <span>
                <strong>{title}</strong>
                <span className="soft">{summary}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <section className="card stack" aria-labelledby="push-address">
        <h2 id="push-address">2. Its address</h2>
        {KINDS[kind].rights !== undefined && (
          <RightsScript
            app={app}
            kind={kind}
            place={offered.some((each) => each.name === KINDS[kind].rights) ? (texts[KINDS[kind].rights] ?? '') : place}
            what={KINDS[kind].rights}
            onPlace={(text) => keep(setPlace(offered, KINDS[kind].rights, text))}
          />
        )}
        <Field label="Address" hint={`${KINDS[kind].hint} Sealed at rest, and shown without its secrets.`}>
          <input
            value={url}
            required
            autoComplete="off"
            spellCheck={false}
            placeholder={KINDS[kind].example}
            onChange={({ target }) => setUrl(target.value)}
          />
        </Field>
        {unknown !== null && <ErrorNotice error={unknown} />}
        {offered.length > 0 && (
          <details>
            <summary>Options of {KINDS[kind].title}</summary>
            <div className="stack push-rights">
              <OptionFields
                options={offered}
                texts={texts}
                onChange={({ name: option, type }, text) =>
                  type === 'lines' ? setLong({ ...long, [option]: text }) : keep({ [`${OPTION}${option}`]: text })
                }
              />
            </div>
          </details>
        )}
        <DraftTest key={kind} app={app} draft={draft} />
      </section>
      <section className="card stack" aria-labelledby="push-what">
        <h2 id="push-what">3. What, and when?</h2>
        <FilterField value={filter} onChange={(text) => keep({ filter: text })} />
        <ScheduleField value={schedule} onChange={(text) => keep({ schedule: text })} />
        <Preview app={app} kind={kind} filter={draft.filter} />
      </section>
      <section className="card stack" aria-labelledby="push-start">
        <h2 id="push-start">4. Start</h2>
        <Field label="Name" hint="Unique within the app.">
          <input value={name} required maxLength={100} onChange={({ target }) => keep({ name: target.value })} />
        </Field>
        <ActionResult action={action} />
        <div className="row">
          {/* Without their description, options of the address would be lost. */}
          <button type="submit" disabled={action.isBusy || known === undefined}>
            Start delivering
          </button>
        </div>
      </section>
    </form>
  )
}
