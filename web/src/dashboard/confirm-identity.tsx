import { useEffect, useRef, useState } from 'react'
import { onConfirmIdentity } from '../api/confirm-identity.ts'
import { Dialog } from '../ui/dialog.tsx'
import { useReadAgain } from '../ui/use-action.ts'
import { sessionsChanged } from './changes.ts'
import { CredentialsForm } from './credentials-form.tsx'

/** Asks for the password or passkey again before a dangerous action, which then goes on. */
export function ConfirmIdentity({ name }: { name: string }) {
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
  return (
    <Dialog title="Confirm that it is you" onClose={() => close(false)}>
      <p>This cannot be undone easily, so it asks for your password or passkey again.</p>
      <CredentialsForm
        name={name}
        onDone={() => {
          void readAgain(sessionsChanged)
          close(true)
        }}
      />
    </Dialog>
  )
}
