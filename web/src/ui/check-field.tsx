import { type ReactNode, useId } from 'react'

/** A checkbox with what it means. */
export function CheckField({
  label,
  hint,
  checked,
  onChange,
}: {
  label: string
  hint?: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
}) {
  const id = useId()
  return (
    <div className="check-field">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        aria-describedby={hint === undefined ? undefined : `${id}-note`}
        onChange={({ target }) => onChange(target.checked)}
      />
      <span>
        <label htmlFor={id}>
          <strong>{label}</strong>
        </label>
        {hint !== undefined && (
          <span id={`${id}-note`} className="soft">
            {hint}
          </span>
        )}
      </span>
    </div>
  )
}
