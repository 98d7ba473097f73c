import type { ResponseOf } from '@tributary-hub/client/core.ts'
import { formatCount } from '../../../ui/amounts.ts'
import { Findings } from '../../../ui/findings.tsx'

const STEPS: Record<string, string> = {
  address: 'Address',
  connect: 'Connect',
  rights: 'Rights',
  alone: 'Other destinations',
  post: 'Test message',
  write: 'Write',
  jetstream: 'JetStream',
  time: 'Time',
}

/** What a test of a destination found, and how much would be delivered. */
export function TestFindings({ result }: { result: ResponseOf<'POST /push/test'> }) {
  const { profiles, items, exact } = result.matches
  return (
    <div className="stack">
      <p role="status">
        <strong>{result.ok ? 'It works.' : 'It does not work yet.'}</strong>
      </p>
      <Findings
        label="Steps of the test"
        findings={result.checks.map(({ check, ok, detail, hint }) => ({
          title: STEPS[check] ?? check,
          result: ok ? 'ok' : 'failed',
          detail,
          hint,
        }))}
      />
      <p className="soft">
        The filter matches {exact ? '' : 'at least '}
        {formatCount(items)} items of {formatCount(profiles)} profiles.
      </p>
    </div>
  )
}
