import { type BodyOf, call, type ResponseOf } from '@tributary-hub/client/core.ts'
import { useState } from 'react'
import { asApp } from '../../../api/core.ts'
import { ActionResult } from '../../../ui/action-result.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { tried } from '../../changes.ts'
import { TestFindings } from './test-findings.tsx'

/** Tests an address before it is added. */
export function DraftTest({ app, draft }: { app: string; draft: BodyOf<'POST /push/test'> }) {
  const [tested, setTested] = useState<{ of: string; result: ResponseOf<'POST /push/test'> }>()
  const action = useAction()
  const of = JSON.stringify(draft)
  const test = () =>
    action.run(tried, async () => setTested({ of, result: await call(asApp(app), 'POST /push/test', { body: draft }) }))
  return (
    <div className="stack">
      <div className="row">
        <button
          type="button"
          className="quiet"
          disabled={draft.url === '' || action.isBusy}
          onClick={() => void test()}
        >
          {action.isBusy ? 'Testing…' : 'Test before start'}
        </button>
        <span className="soft">Connects, checks the rights, writes and rolls back. Nothing stays.</span>
      </div>
      <ActionResult action={action} />
      {tested !== undefined && (
        <>
          {tested.of !== of && <p className="soft">Changed since this test.</p>}
          <TestFindings result={tested.result} />
        </>
      )}
    </div>
  )
}
