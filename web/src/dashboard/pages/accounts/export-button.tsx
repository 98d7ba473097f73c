import { send } from '@tributary/client/core.ts'
import { useState } from 'react'
import { app } from '../../../api/core.ts'
import { ErrorNotice } from '../../../ui/error-notice.tsx'

/** Downloads everything stored about an account. The request carries headers, so that a plain link would not do. */
export function ExportButton({ clientId, account }: { clientId: string; account: string }) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const download = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const input = { path: { id: account } }
      const response = await send(app(clientId).core, 'GET /accounts/{id}/export', input, { isStream: true })
      const address = URL.createObjectURL(await response.blob())
      const link = document.createElement('a')
      link.href = address
      link.download = `account-${account}.ndjson`
      link.click()
      URL.revokeObjectURL(address)
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <button type="button" className="quiet" disabled={isBusy} onClick={() => void download()}>
        {isBusy ? 'Exporting…' : 'Export'}
      </button>
      {error !== undefined && <ErrorNotice error={error} retry={download} />}
    </>
  )
}
