import type { ReactNode } from 'react'

export interface Column<Row> {
  title: string
  cell: (row: Row) => ReactNode
  isNumber?: boolean
}

/** A table in a region that scrolls by keyboard on narrow screens. */
export function Table<Row>({
  label,
  columns,
  rows,
  rowKey,
  empty = 'Nothing here yet.',
}: {
  label: string
  columns: Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
  empty?: ReactNode
}) {
  if (rows.length === 0) return <p className="soft">{empty}</p>
  const className = (column: Column<Row>) => (column.isNumber === true ? 'number' : undefined)
  return (
    <div className="table-region" role="group" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" className={className(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column) => (
                <td key={column.title} className={className(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
