import { cloneElement, type ReactElement, useId } from 'react'

type Control = ReactElement<{ id?: string; 'aria-describedby'?: string; 'aria-invalid'?: boolean }>

/** A control with its label, a hint and what is wrong with it, connected for screen readers. */
export function Field({
  label,
  hint,
  fault,
  children,
}: {
  label: string
  hint?: string | undefined
  fault?: string | undefined
  children: Control
}) {
  const id = useId()
  const note = fault ?? hint
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {cloneElement(children, {
        id,
        ...(note === undefined ? {} : { 'aria-describedby': `${id}-note` }),
        ...(fault === undefined ? {} : { 'aria-invalid': true }),
      })}
      {note !== undefined && (
        <span id={`${id}-note`} className={fault === undefined ? 'soft' : 'fault'}>
          {note}
        </span>
      )}
    </div>
  )
}
