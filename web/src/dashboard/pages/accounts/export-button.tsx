import { call } from '@tributary-hub/client/core.ts'
import { asOperator } from '../../../api/core.ts'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { tried } from '../../changes.ts'

/** Has the browser save everything stored about an account, as it arrives: the page itself never holds the file. */
export function ExportButton({ account }: { account: string }) {
  const { run, isBusy, error } = useAction()
  const download = () =>
    run(tried, async () => {
      const { url } = await call(asOperator, 'POST /dashboard/exports', { body: { account } })
      // An attachment: the page stays. A refusal is a page that explains it.
      location.assign(url)
    })
  return (
    <>
      <button type="button" className="quiet" disabled={isBusy} onClick={() => void download()}>
        Export
      </button>
      {error !== undefined && <ErrorNotice error={error} retry={download} />}
    </>
  )
}
