/** Requests sent between two readings. */
const TURNS = 40

/**
 * Waits until a number stops changing: it is the same before and after the service has handled many other requests.
 * Work that was still in progress would have continued meanwhile, on a machine of any speed. Returns the number.
 */
export async function staysUnchanged(read: () => number, turn: () => Promise<unknown>): Promise<number> {
  for (;;) {
    const before = read()
    for (let i = 0; i < TURNS; i += 1) await turn()
    if (read() === before) return before
  }
}

/** Sends a request that passes through the whole server and has no effect. */
export async function oneTurn(url: string): Promise<void> {
  const response = await fetch(`${url}/healthz`)
  await response.body?.cancel()
}
