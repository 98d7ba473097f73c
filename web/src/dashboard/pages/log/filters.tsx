import { type FormEvent, useEffect, useState } from 'react'
import { Field } from '../../../ui/field.tsx'
import { useAddress } from '../../address.ts'
import { logSearch } from '../../search.ts'
import { type Choice, type Filter, filtersIn, submitted, TEXTS, withoutFilters } from './log-filters.ts'
import { KIND_NAMES, OUTCOME_NAMES } from './words.tsx'

const LABELS: Record<(typeof TEXTS)[number], string> = {
  q: 'Search',
  service: 'Service',
  reason: 'Reason',
  account: 'Account',
}

/** Choices act at once; texts when the form is submitted. All of them are in the address. */
export function Filters() {
  const [address, change] = useAddress(logSearch)
  const inAddress = filtersIn(address)
  const [texts, setTexts] = useState(inAddress)
  const signature = JSON.stringify(inAddress)
  // Back and a followed link change the address without the form.
  useEffect(() => setTexts(JSON.parse(signature) as Partial<Record<Filter, string>>), [signature])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change(submitted(texts))
  }
  const choice = (name: Choice, label: string, names: Record<string, string>) => (
    <Field label={label}>
      <select value={address[name] ?? ''} onChange={({ target }) => change({ [name]: target.value })}>
        <option value="">All</option>
        {Object.entries(names).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  )
  const isFiltered = Object.keys(inAddress).length > 0
  // On a phone they would fill the screen before the first entry.
  const [isWide] = useState(() => matchMedia('(min-width: 40rem)').matches)
  return (
    <form className="card" aria-label="Filters" onSubmit={submit}>
      <details className="log-filters" open={isWide || isFiltered}>
        <summary>Filters</summary>
        <div className="columns">
          {choice('kind', 'Kind', KIND_NAMES)}
          {choice('outcome', 'Outcome', OUTCOME_NAMES)}
          {TEXTS.map((name) => (
            <Field key={name} label={LABELS[name]}>
              <input
                type={name === 'q' ? 'search' : 'text'}
                value={texts[name] ?? ''}
                spellCheck={false}
                onChange={({ target }) => setTexts({ ...texts, [name]: target.value })}
              />
            </Field>
          ))}
        </div>
        <div className="row log-more">
          <button type="submit">Search</button>
          {isFiltered && (
            <button type="button" className="quiet" onClick={() => change(withoutFilters)}>
              Show everything
            </button>
          )}
        </div>
      </details>
    </form>
  )
}
