import { call, type ResponseOf } from '@tributary-hub/client/core.ts'
import { useState } from 'react'
import { asApp } from '../../../api/core.ts'
import { ActionResult } from '../../../ui/action-result.tsx'
import { formatCount } from '../../../ui/amounts.ts'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { Table } from '../../../ui/table.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { tried } from '../../changes.ts'
import type { Kind } from './kinds.ts'

type Previewed = ResponseOf<'POST /push/preview'>

/** Which tables and columns the destination gets, a few rows, and how many. */
export function Preview({ app, kind, filter }: { app: string; kind: Kind; filter: string[] }) {
  const [shown, setShown] = useState<Previewed>()
  const action = useAction()
  const load = () =>
    action.run(tried, async () => setShown(await call(asApp(app), 'POST /push/preview', { body: { kind, filter } })))
  return (
    <div className="stack">
      <div className="row">
        <button type="button" className="quiet" disabled={action.isBusy} onClick={() => void load()}>
          Preview
        </button>
      </div>
      <ActionResult action={action} />
      {shown !== undefined && <PreviewedRows shown={shown} />}
    </div>
  )
}

interface NumberedRow {
  row: Record<string, unknown>
  index: number
}

/** Columns that a glance is enough for; the others are in the JSON below. */
const GLANCE = ['at', 'service', 'endpoint', 'types', 'native_id', 'author', 'id']

function PreviewedRows({ shown }: { shown: Previewed }) {
  const { tables, views, examples, matches } = shown
  return (
    <div className="stack" role="region" aria-label="Preview">
      <p>
        <strong>
          {matches.exact ? '' : 'At least '}
          {formatCount(matches.items)} items
        </strong>{' '}
        of {formatCount(matches.profiles)} profiles would be delivered.
      </p>
      {tables.map(({ name, columns }) => (
        <details key={name}>
          <summary>
            <code>{name}</code> <span className="soft">{columns.length} columns</span>
          </summary>
          <p className="push-columns">
            {columns.map((column) => (
              <code key={column.name}>
                {column.name} <span className="soft">{column.type}</span>
              </code>
            ))}
          </p>
        </details>
      ))}
      {views.length > 0 && (
        <p className="soft">
          {views.length} views, one for each type: {views.slice(0, 4).join(', ')} …
        </p>
      )}
      {examples.length > 0 && (
        <>
          <Table
            label="Example rows"
            rows={examples.map((row, index) => ({ row, index }))}
            rowKey={({ index }) => String(index)}
            columns={GLANCE.map((name) => ({ title: name, cell: ({ row }: NumberedRow) => textOf(row[name]) }))}
          />
          <details>
            <summary>The first one in full</summary>
            <CodeBlock label="A row as JSON" text={JSON.stringify(examples[0], undefined, 2)} />
          </details>
        </>
      )}
    </div>
  )
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
