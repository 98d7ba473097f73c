import type { TableOfCosts } from '../test/spec/costs/compare.ts'
import { ON_DIVIDED_TABLES, PROXIED, REQUESTS, SIGN_INS, WORK } from '../test/spec/costs/table.ts'

/** The tables of costs, as docs/costs.md shows them. */
export function costTables(): string {
  return [
    ['Requests', REQUESTS],
    ['Proxied calls', PROXIED],
    ['Sign-in', SIGN_INS],
    ['Syncs, deliveries and idling', WORK],
    ['Rows that differ on a sharded server', ON_DIVIDED_TABLES],
  ]
    .map(([title, table]) => `## ${title as string}\n\n${tableOf(table as TableOfCosts)}`)
    .join('\n\n')
}

function tableOf(table: TableOfCosts): string {
  const rows = Object.entries(table).map(
    ([operation, { statements, roundTrips, transactions, later = {} }]) =>
      `| ${operation} | ${sumOf(statements)} | ${roundTrips} | ${transactions} | ${listed(statements)} | ${listed(later)} |`,
  )
  return [
    '| operation | statements | round trips | transactions | which | later |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

function sumOf(statements: Record<string, number>): number {
  return Object.values(statements).reduce((sum, count) => sum + count, 0)
}

function listed(statements: Record<string, number>): string {
  return Object.entries(statements)
    .map(([name, count]) => `\`${name}\`${count === 1 ? '' : ` × ${count}`}`)
    .join(', ')
}
