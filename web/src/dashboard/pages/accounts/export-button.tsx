import { call } from '@tributary-hub/client/core.ts'
import { useState } from 'react'
import { asOperator } from '../../../api/core.ts'
import { ErrorNotice } from '../../../ui/error-notice.tsx'

/** Has the browser save everything stored about an account, as it arrives: the page itself never holds the file. */
export function ExportButton({ account }: { account: string }) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const download = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const { url } = await call(asOperator, 'POST /dashboard/exports', { body: { account } })
      // An attachment: the page stays. A refusal is a page that explains it.
      location.assign(url)
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <button type="button" className="quiet" disabled={isBusy} onClick={() => void download()}>
        Export
      </button>
      {error !== undefined && <ErrorNotice error={error} retry={download} />}
    </>
  )
}
