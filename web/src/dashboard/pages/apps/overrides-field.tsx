import { Field } from '../../../ui/field.tsx'

/** Addresses of another instance. A developer sees those that an operator set, and why there is no field. */
export function OverridesField({
  isOperator,
  stored,
  value,
  onChange,
}: {
  isOperator: boolean
  stored: Record<string, string>
  value: string
  onChange: (value: string) => void
}) {
  if (isOperator)
    return (
      <Field
        label="Overrides"
        hint="For another instance: name=address, one on each line, e.g. base_url=https://social.example"
      >
        <textarea rows={3} value={value} onChange={({ target }) => onChange(target.value)} />
      </Field>
    )
  const addresses = Object.entries(stored)
  return (
    <div className="stack">
      {addresses.map(([name, address]) => (
        <div key={name} className="row apps-address">
          <span className="soft">{name}</span>
          <code>{address}</code>
        </div>
      ))}
      <p className="soft">
        Only an operator can set other addresses for the service, because the codes of people and the secrets of the key
        are sent to them.{' '}
        {addresses.length === 0 ? 'For an instance of your own ask' : 'Those above stay; to change them, ask'} an
        operator of this installation.
      </p>
    </div>
  )
}
