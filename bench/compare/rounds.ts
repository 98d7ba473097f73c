import { setTimeout as sleep } from 'node:timers/promises'
import { cpuBetween } from '../cpu-time.ts'
import { type Operation, restMs, type Side, type Sizes, turnsOf } from './operations.ts'

/** Processor times of both sides, round by round. */
export interface Times {
  first: number[]
  second: number[]
}

export interface Rounds {
  times: Map<Operation, Times>
  /** Operations that one side cannot do, and why. */
  failed: Map<Operation, string>
}

/** A busy machine fails now and then; what fails so often in a row is left out from then on. */
const MAX_FAILURES = 2

/**
 * Does each operation on both sides in turns, round by round; who begins changes. The first rounds warm up and are not counted, nor is an
 * operation in a round in which one side failed.
 */
export async function alternate(
  operations: readonly Operation[],
  [first, second]: readonly [Side, Side],
  names: readonly [string, string],
  { rounds, warmRounds }: Pick<Sizes, 'rounds' | 'warmRounds'>,
  isOver: () => boolean = () => false,
): Promise<Rounds> {
  const times = new Map<Operation, Times>(operations.map((operation) => [operation, { first: [], second: [] }]))
  const failed = new Map<Operation, string>()
  const failures = new Map<Operation, number>()
  const sides = [
    { side: first, name: names[0] },
    { side: second, name: names[1] },
  ]
  const readBoth = (operation: Operation) => Promise.all(sides.map(({ side }) => side[operation].cpu()))
  for (let round = -warmRounds; round < rounds; round += 1) {
    for (const [operation, counted] of times) {
      try {
        const before = await readBoth(operation)
        for (let turn = 0; turn < turnsOf(operation); turn += 1)
          for (const { side, name } of (round + turn) % 2 === 0 ? sides : sides.toReversed())
            await side[operation].turn(turn).catch((error: unknown) => {
              throw new Error(`${name}: ${String(error)}`)
            })
        await sleep(restMs(operation))
        const after = await readBoth(operation)
        const [ours, theirs] = after.map((reading, i) => cpuBetween(before[i]!, reading))
        failures.delete(operation)
        if (round < 0) continue
        counted.first.push(ours!)
        counted.second.push(theirs!)
      } catch (error) {
        // Ended by a signal: the process ends as soon as everything is removed.
        if (isOver()) await new Promise(() => {})
        const reason = (error as Error).message
        process.stderr.write(`${operation} failed: ${reason}\n`)
        failures.set(operation, (failures.get(operation) ?? 0) + 1)
        if (failures.get(operation) === MAX_FAILURES || (round === rounds - 1 && counted.first.length === 0)) {
          times.delete(operation)
          failed.set(operation, reason)
        }
      }
    }
    process.stderr.write(round < 0 ? 'warmed up\n' : `round ${round + 1} of ${rounds}\n`)
  }
  return { times, failed }
}
