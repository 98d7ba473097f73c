interface Turn<Value> {
  ended: Promise<void>
  /** For those who wait until this one has ended. */
  next?: Promise<Value>
}

/**
 * Loads values anew. Callers of a key share a load that has not begun, and none joins one under way, so that no value is older than
 * the call it is for: while one load runs, all further callers wait for the next one.
 */
export function createSharedLoads<Value>(): (key: string, load: () => Promise<Value>) => Promise<Value> {
  const running = new Map<string, Turn<Value>>()

  const begin = (key: string, load: () => Promise<Value>): Promise<Value> => {
    const value = load()
    const end = () => {
      if (turn.next === undefined) running.delete(key)
    }
    // The callers handle a failure; the next load begins all the same.
    const turn: Turn<Value> = { ended: value.then(end, end) }
    running.set(key, turn)
    return value
  }

  return (key, load) => {
    const turn = running.get(key)
    if (turn === undefined) return begin(key, load)
    turn.next ??= turn.ended.then(() => begin(key, load))
    return turn.next
  }
}
