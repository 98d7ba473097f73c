import { type ReactNode, useState } from 'react'
import { Dialog } from './dialog.tsx'
import { ErrorNotice } from './error-notice.tsx'
import { Field } from './field.tsx'

/** A button for what cannot be undone: explains it first and, with `typed`, asks to type a word. */
export function ConfirmButton({
  label,
  title,
  children,
  typed,
  onConfirm,
}: {
  label: string
  title: string
  children: ReactNode
  typed?: string | undefined
  onConfirm: () => Promise<unknown>
}) {
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const close = () => {
    setOpen(false)
    setText('')
    setError(undefined)
  }
  const confirm = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await onConfirm()
      close()
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <button type="button" className="danger" onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && (
        <Dialog title={title} onClose={close}>
          <div>{children}</div>
          {typed !== undefined && (
            <Field label={`Type ${typed} to confirm`}>
              <input value={text} autoComplete="off" onChange={(event) => setText(event.target.value)} />
            </Field>
          )}
          {error !== undefined && <ErrorNotice error={error} />}
          <div className="row">
            <button
              type="button"
              className="danger"
              disabled={isBusy || (typed !== undefined && text !== typed)}
              onClick={() => void confirm()}
            >
              {label}
            </button>
            <button type="button" className="quiet" onClick={close}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
