import { useEffect, useRef, useState } from 'react'
import { onConfirmIdentity } from '../api/confirm-identity.ts'
import { visitDemo } from '../api/demo-visit.ts'
import { ActionResult } from '../ui/action-result.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useAction, useReadAgain } from '../ui/use-action.ts'
import { sessionsChanged } from './changes.ts'
import { CredentialsForm } from './credentials-form.tsx'

/** The operator of a demo, who has no password: `DEMO_OPERATOR` of the server. */
const VISITOR = 'op_demo'

/** Asks for the password or passkey again before a dangerous action, which then goes on. */
export function ConfirmIdentity({ operator }: { operator: { id: string; name: string } }) {
  const [isOpen, setOpen] = useState(false)
  // Several requests may ask at once; one answer counts for all of them.
  const waiting = useRef<((isConfirmed: boolean) => void)[]>([])
  const readAgain = useReadAgain()
  const close = (isConfirmed: boolean) => {
    setOpen(false)
    for (const answer of waiting.current.splice(0)) answer(isConfirmed)
  }
  useEffect(() => {
    const stop = onConfirmIdentity(() => {
      setOpen(true)
      return new Promise((resolve) => waiting.current.push(resolve))
    })
    return () => {
      stop()
      close(false)
    }
  }, [])
  if (!isOpen) return null
  const done = () => {
    void readAgain(sessionsChanged)
    close(true)
  }
  return (
    <Dialog title="Confirm that it is you" onClose={() => close(false)}>
      {operator.id === VISITOR ? (
        <ConfirmVisit onDone={done} />
      ) : (
        <>
          <p>This cannot be undone easily, so it asks for your password or passkey again.</p>
          <CredentialsForm name={operator.name} onDone={done} />
        </>
      )}
    </Dialog>
  )
}

function ConfirmVisit({ onDone }: { onDone: () => void }) {
  const action = useAction()
  const confirm = () => action.run([], visitDemo).then((isConfirmed) => isConfirmed && onDone())
  return (
    <div className="stack">
      <p>This cannot be undone easily, so it asks again. In this demo no password is needed.</p>
      <ActionResult action={action} />
      <div className="row">
        <button type="button" disabled={action.isBusy} onClick={() => void confirm()}>
          Confirm
        </button>
      </div>
    </div>
  )
}
