import { ErrorNotice } from './error-notice.tsx'
import type { useAction } from './use-action.ts'

/** Why an action failed, or that it is done. */
export function ActionResult({ action }: { action: Pick<ReturnType<typeof useAction>, 'error' | 'done'> }) {
  return (
    <>
      {action.error !== undefined && <ErrorNotice error={action.error} />}
      <p role="status" className={action.done === undefined ? 'hidden-text' : 'action-done'}>
        {action.done ?? ''}
      </p>
    </>
  )
}
