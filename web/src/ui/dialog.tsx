import { type ReactNode, useEffect, useId, useRef } from 'react'

/** A modal dialog: the browser's own, which traps the focus, closes with Escape and returns the focus. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    dialog.current?.showModal()
  }, [])
  return (
    <dialog ref={dialog} aria-labelledby={heading} onClose={onClose}>
      <div className="stack">
        <div className="row apart">
          <h2 id={heading}>{title}</h2>
          <button type="button" className="quiet" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </div>
        {children}
      </div>
    </dialog>
  )
}
