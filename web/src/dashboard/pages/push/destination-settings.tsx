import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '@tributary-hub/client/core.ts'
import { type FormEvent, useState } from 'react'
import { asApp } from '../../../api/core.ts'
import { ActionResult } from '../../../ui/action-result.tsx'
import { formatCount } from '../../../ui/amounts.ts'
import { CheckField } from '../../../ui/check-field.tsx'
import { ConfirmButton } from '../../../ui/confirm-button.tsx'
import { Field } from '../../../ui/field.tsx'
import { OnceSecret } from '../../../ui/once-secret.tsx'
import { useAction, useReadAgain } from '../../../ui/use-action.ts'
import { destinationChanged, destinationReads, destinationsChanged } from '../../changes.ts'
import { changedSettings } from './changed-settings.ts'
import { FilterField } from './filter-field.tsx'
import { type Destination, KINDS } from './kinds.ts'
import { OptionFields } from './option-fields.tsx'
import { type OptionTexts, textsOf } from './option-texts.ts'
import { useOptions } from './options.ts'
import { ScheduleChoices, ScheduleField } from './schedule-field.tsx'

/** Changing and deleting a destination, and the signing secret of a webhook. */
export function DestinationSettings({ app, destination }: { app: string; destination: Destination }) {
  const [name, setName] = useState(destination.name)
  const [url, setUrl] = useState('')
  const [filter, setFilter] = useState(destination.filter.join('\n'))
  const [schedule, setSchedule] = useState(destination.schedule)
  const [texts, setTexts] = useState<OptionTexts>(textsOf(destination.options))
  const offered = useOptions(app, destination.kind).options ?? []
  const action = useAction()
  const path = { id: destination.id }
  const save = (event: FormEvent) => {
    event.preventDefault()
    const body = changedSettings(destination, offered, { name, url, filter, schedule, texts })
    void action.run(
      destinationChanged(app, destination.id),
      () => call(asApp(app), 'PATCH /push/{id}', { path, body }),
      'Saved.',
    )
  }
  return (
    <div className="stack">
      <form className="card stack push-settings" onSubmit={save} aria-label="Settings">
        <Field label="Name" hint="Unique within the app.">
          <input value={name} required maxLength={100} onChange={({ target }) => setName(target.value)} />
        </Field>
        <Field label="New address" hint="Empty: it stays. A new one gets everything again.">
          <input
            value={url}
            autoComplete="off"
            spellCheck={false}
            placeholder={KINDS[destination.kind].example}
            onChange={({ target }) => setUrl(target.value)}
          />
        </Field>
        <FilterField value={filter} onChange={setFilter} />
        <ScheduleChoices />
        <ScheduleField value={schedule} onChange={setSchedule} />
        <OptionFields
          options={offered}
          texts={texts}
          onChange={({ name: option }, text) => setTexts({ ...texts, [option]: text })}
        />
        <ActionResult action={action} />
        <div className="row">
          <button type="submit" disabled={action.isBusy}>
            Save settings
          </button>
        </div>
      </form>
      {destination.kind === 'webhook' && <SigningSecret app={app} id={destination.id} />}
      <DeleteDestination app={app} destination={destination} />
    </div>
  )
}

function SigningSecret({ app, id }: { app: string; id: string }) {
  const [secret, setSecret] = useState<string>()
  const action = useAction()
  const rotate = () =>
    action.run(destinationChanged(app, id), async () =>
      setSecret((await call(asApp(app), 'POST /push/{id}/rotate-secret', { path: { id } })).secret),
    )
  return (
    <section className="card stack" aria-label="Signing secret">
      <h2>Signing secret</h2>
      <p className="soft">After a rotation the previous secret signs too, until the next rotation.</p>
      {secret !== undefined && <OnceSecret label="The new signing secret." secret={secret} />}
      <ActionResult action={action} />
      <div className="row">
        <button type="button" className="quiet" disabled={action.isBusy} onClick={() => void rotate()}>
          Rotate the secret
        </button>
      </div>
    </section>
  )
}

function DeleteDestination({ app, destination }: { app: string; destination: Destination }) {
  const [drops, setDrops] = useState(false)
  const queries = useQueryClient()
  const readAgain = useReadAgain()
  const navigate = useNavigate()
  const remove = async () => {
    await call(asApp(app), 'DELETE /push/{id}', { path: { id: destination.id }, query: { drop: drops } })
    // Left first: the page of a destination that is gone would ask for it again.
    await navigate({ to: '/push', search: { app } })
    for (const queryKey of destinationReads(app, destination.id)) queries.removeQueries({ queryKey })
    await readAgain(destinationsChanged(app))
  }
  return (
    <section className="card stack" aria-label="Delete the destination">
      <h2>Delete</h2>
      <CheckField
        label="Also remove what Tributary created there"
        hint="Tables, views, files or streams, with all rows. Otherwise they stay."
        checked={drops}
        onChange={setDrops}
      />
      <div className="row">
        <ConfirmButton
          label="Delete the destination"
          title={`Delete ${destination.name}`}
          typed={destination.name}
          onConfirm={remove}
        >
          {drops
            ? `The ${formatCount(destination.rows)} rows at the destination are removed as well.`
            : 'Deliveries end. The rows at the destination stay.'}
        </ConfirmButton>
      </div>
    </section>
  )
}
