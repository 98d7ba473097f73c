import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { describedServices } from '../../../api/services.ts'
import { Field } from '../../../ui/field.tsx'
import { useTyped } from '../../../ui/use-typed.ts'
import { useAddress } from '../../address.ts'
import { useCurrentApp } from '../../current-app.ts'
import { stateText } from '../../profile-state.tsx'
import { accountsSearch } from '../../search.ts'

const STATES = ['active', 'connecting', 'limited', 'needs_auth', 'paused']

/** Search and filters; they live in the address. */
export function Filters() {
  const [{ service, state, reason, failing }, change] = useAddress(accountsSearch)
  const clientId = useCurrentApp()
  const services = useQuery({ ...describedServices(clientId ?? ''), enabled: clientId !== undefined })
  const shownState = failing === 'true' ? 'failing' : (state ?? '')
  return (
    <search className="card accounts-filters">
      <SearchField />
      <Field label="Service">
        <select
          value={service ?? ''}
          onChange={({ target }) => change({ service: target.value, cursor: undefined, erased: undefined })}
        >
          <option value="">Any</option>
          {Object.entries(services.data ?? {}).map(([name, { title }]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </Field>
      <Field label="State">
        <select
          value={shownState}
          onChange={({ target: { value } }) =>
            change({
              state: value === 'failing' ? undefined : value,
              failing: value === 'failing' ? 'true' : undefined,
              cursor: undefined,
              erased: undefined,
            })
          }
        >
          <option value="">Any</option>
          <option value="failing">an endpoint fails</option>
          {STATES.map((each) => (
            <option key={each} value={each}>
              {stateText(each)}
            </option>
          ))}
        </select>
      </Field>
      {reason !== undefined && (
        <button type="button" className="quiet" onClick={() => change({ reason: undefined, cursor: undefined })}>
          Reason <code>{reason}</code> ✕<span className="hidden-text">: remove this filter</span>
        </button>
      )}
    </search>
  )
}

function SearchField() {
  const [{ q = '' }, change] = useAddress(accountsSearch)
  const search = useCallback(
    (words: string) => change({ q: words, cursor: undefined, erased: undefined }, { replace: true }),
    [change],
  )
  const [text, setText] = useTyped(q, search)
  return (
    <Field label="Search" hint="Name, handle, e-mail, native id, or the id of an account or profile">
      <input type="search" value={text} maxLength={200} onChange={({ target }) => setText(target.value)} />
    </Field>
  )
}
