import assert from 'node:assert/strict'
import type { Cost } from './count-statements.ts'

/** What an operation costs; `later` is what it leaves to be written in a batch with others, such as its entry in the log. */
export interface WholeCost extends Cost {
  later?: Record<string, number>
}

/** The cost of operations, by their names. */
export type TableOfCosts = Record<string, WholeCost>

/** Compares what was counted with the table; at the end `assertAll` fails for a row that nothing was counted for. */
export function comparer(table: TableOfCosts, onDividedTables: TableOfCosts = {}) {
  const counted = new Set<string>()
  return {
    assertCost: (operation: string, cost: WholeCost, isDivided = false): void => {
      counted.add(operation)
      const expected = (isDivided ? onDividedTables[operation] : undefined) ?? table[operation] ?? NOTHING
      const differences = differencesOf(expected, cost)
      assert.ok(
        differences.length === 0,
        [
          `${operation}:`,
          ...differences.map((each) => `  ${each}`),
          'Change test/spec/costs/table.ts in the same commit if this is meant, and run npm run docs. Counted:',
          `  ${rowOf(operation, cost)}`,
        ].join('\n'),
      )
    },
    assertAll: (): void => assert.deepEqual([...counted].toSorted(), Object.keys(table).toSorted()),
  }
}

const NOTHING: WholeCost = { statements: {}, roundTrips: 0, transactions: 0 }

function differencesOf(expected: WholeCost, cost: WholeCost): string[] {
  const number = (what: string, before: number, now: number) =>
    before === now ? [] : [`${what}: ${now}, and the table says ${before}`]
  return [
    ...differingStatements('', expected.statements, cost.statements),
    ...differingStatements('later: ', expected.later ?? {}, cost.later ?? {}),
    ...number('round trips', expected.roundTrips, cost.roundTrips),
    ...number('transactions', expected.transactions, cost.transactions),
  ]
}

function differingStatements(
  prefix: string,
  expected: Record<string, number>,
  counted: Record<string, number>,
): string[] {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(counted)])].toSorted()
  return names.flatMap((name) => {
    const [before, now] = [expected[name] ?? 0, counted[name] ?? 0]
    if (before === now) return []
    const change = before === 0 ? 'came' : now === 0 ? 'went' : `${before} → ${now}`
    return [`${prefix}${name}: ${change}`]
  })
}

/** As the table writes it. */
function rowOf(operation: string, { statements, roundTrips, transactions, later }: WholeCost): string {
  const list = (counts: Record<string, number>) =>
    `'${Object.entries(counts)
      .map(([name, count]) => (count === 1 ? name : `${name} × ${count}`))
      .join(', ')}'`
  const values = [roundTrips, transactions, list(statements), ...(later === undefined ? [] : [list(later)])]
  return `'${operation}': row(${values.join(', ')}),`
}
