import { inspectOperation, type LoggedOperation, type LogQuery, readLog } from '#flows/apps/log.ts'
import { ApiError } from '#model/errors.ts'
import type { OpenStore } from '../command.ts'

/** Other processes write their entries up to a second late, so a little is read again. */
const OVERLAP_MS = 15_000
/** Limit: open sign-ins whose end is awaited; the oldest are given up. */
const MAX_OPEN = 50
/** Limit: operations of which it is known that they were printed; older ones are not read again. */
const MAX_PRINTED = 5000

/** Returns a function that reads what is new, oldest first: operations, and the ends of sign-ins that were open. */
export function followLog(
  store: OpenStore,
  appId: string,
  query: LogQuery,
  printedBefore: readonly LoggedOperation[],
): () => Promise<LoggedOperation[]> {
  const beganAt = store.clock.now()
  const printed = new Set(printedBefore.map(({ id }) => id))
  let open = printedBefore.filter(({ outcome }) => outcome === 'open').map(({ id }) => id)
  let since = beganAt - OVERLAP_MS
  return async () => {
    const nowMs = store.clock.now()
    const found: LoggedOperation[] = []
    let cursor: string | undefined
    do {
      const { operations, next } = await readLog(store, appId, { ...query, since, cursor })
      found.push(...operations.filter(({ id }) => !printed.has(id)))
      cursor = next
    } while (cursor !== undefined && found.length < MAX_PRINTED)
    since = nowMs - OVERLAP_MS
    for (const { id } of found) printed.add(id)
    for (const id of [...printed].slice(0, Math.max(0, printed.size - MAX_PRINTED))) printed.delete(id)
    const ended: LoggedOperation[] = []
    const erased: string[] = []
    for (const id of open) {
      const operation = await findOperation(store, appId, id)
      if (operation === undefined) erased.push(id)
      else if (operation.outcome !== 'open') ended.push(operation)
    }
    open = [...open, ...found.filter(({ outcome }) => outcome === 'open').map(({ id }) => id)]
      .filter((id) => !erased.includes(id) && !ended.some((each) => each.id === id))
      .slice(-MAX_OPEN)
    return [...found.toReversed(), ...ended]
  }
}

/** Undefined when it was erased with its account. */
async function findOperation(store: OpenStore, appId: string, id: string): Promise<LoggedOperation | undefined> {
  try {
    const { steps: _steps, ...operation } = await inspectOperation(store, appId, id)
    return operation
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'not_found') throw error
    return undefined
  }
}
