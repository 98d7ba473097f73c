import { call } from '@tributary-hub/client/core.ts'
import { asOperator } from '../../../api/core.ts'
import { ActionResult } from '../../../ui/action-result.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { keysChanged } from '../../changes.ts'

/** Test mode: gives the app keys of the demo services, while they run here. */
export function DemoServices({ clientId }: { clientId: string }) {
  const action = useAction()
  const use = () =>
    action.run(
      keysChanged(clientId),
      () => call(asOperator, 'POST /admin/apps/{client_id}/demo-services', { path: { client_id: clientId } }),
      'The app has keys of the demo services.',
    )
  return (
    <div>
      <button type="button" className="quiet" disabled={action.isBusy} onClick={() => void use()}>
        Use the demo services
      </button>
      <ActionResult action={action} />
    </div>
  )
}
