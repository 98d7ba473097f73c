import { type FormEvent, useEffect, useState } from 'react'
import { Field } from '../../../ui/field.tsx'
import { type Address, useAddress } from '../../address.ts'
import { KIND_NAMES, OUTCOME_NAMES } from './words.tsx'

const CHOICES = ['kind', 'outcome'] as const
const TEXTS = ['q', 'service', 'reason', 'account'] as const
const LABELS: Record<(typeof TEXTS)[number], string> = {
  q: 'Search',
  service: 'Service',
  reason: 'Reason',
  account: 'Account',
}

/** The part of the address that the API understands. */
export function filtersIn(address: Address): Record<string, string> {
  return Object.fromEntries(
    [...CHOICES, ...TEXTS].flatMap((name) => {
      const value = address[name]
      return value === undefined || value === '' ? [] : [[name, value]]
    }),
  )
}

/** Choices act at once; texts when the form is submitted. All of them are in the address. */
export function Filters() {
  const [address, change] = useAddress()
  const inAddress = filtersIn(address)
  const [texts, setTexts] = useState<Address>(inAddress)
  const signature = JSON.stringify(inAddress)
  // Back and a followed link change the address without the form.
  useEffect(() => setTexts(JSON.parse(signature) as Address), [signature])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change(Object.fromEntries(TEXTS.map((name) => [name, texts[name]?.trim()])))
  }
  const choice = (name: (typeof CHOICES)[number], label: string, names: Record<string, string>) => (
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
  return (
    <form className="card" aria-label="Filters" onSubmit={submit}>
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
          <button
            type="button"
            className="quiet"
            onClick={() => change(Object.fromEntries([...CHOICES, ...TEXTS].map((name) => [name, undefined])))}
          >
            Show everything
          </button>
        )}
      </div>
    </form>
  )
}
