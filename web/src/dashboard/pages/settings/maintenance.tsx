import type { ResponseOf } from '@tributary-hub/client/core.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'

type Task = ResponseOf<'GET /admin/settings'>['maintenance'][number]

/** When each task last succeeded. Those that fail come first. */
export function Maintenance({ tasks }: { tasks: Task[] }) {
  const failing = tasks.filter(({ late, fails }) => late || fails > 0)
  return (
    <Table
      label="Maintenance"
      rows={[...failing, ...tasks.filter((task) => !failing.includes(task))]}
      rowKey={({ task }) => task}
      columns={[
        { title: 'Task', cell: ({ task }) => task.replaceAll('_', ' ') },
        {
          title: 'Last success',
          cell: ({ succeeded_at: at, late }) => (
            <>
              {at === undefined ? 'never' : <Time at={at} />} {late && <Badge tone="warn">late</Badge>}
            </>
          ),
        },
        { title: 'Rows', isNumber: true, cell: ({ rows }) => rows },
        { title: 'Error', cell: ({ error }) => error ?? '' },
      ]}
    />
  )
}
