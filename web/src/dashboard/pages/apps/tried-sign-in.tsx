import { useEffect, useState } from 'react'
import { useAddress } from '../../address.ts'
import { appSearch } from '../../search.ts'

/** Says how a sign-in ended that an operator tried. The code leaves the address: it is not exchanged and expires. */
export function TriedSignIn() {
  const [{ code, error, error_description: description }, change] = useAddress(appSearch)
  const [ended, setEnded] = useState<{ isGood: boolean; text: string }>()
  useEffect(() => {
    if (code === undefined && error === undefined) return
    setEnded(
      code === undefined
        ? { isGood: false, text: description ?? error ?? '' }
        : { isGood: true, text: 'The sign-in works: the app would now exchange a code for an access token.' },
    )
    change(
      { code: undefined, error: undefined, error_description: undefined, state: undefined, iss: undefined },
      { replace: true },
    )
  }, [code, error, description, change])
  if (ended === undefined) return null
  return (
    <div className={ended.isGood ? 'notice' : 'notice bad'} role="status">
      {ended.isGood ? ended.text : `The sign-in failed: ${ended.text}`}
    </div>
  )
}
