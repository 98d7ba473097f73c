/** So many other requests are answered in between. */
const TURNS = 40

/**
 * Waits until a number is the same before and after the service has answered many other requests: whoever still worked on it
 * would have got their turn meanwhile, however slow the machine is. Gives the number.
 */
export async function standsStill(read: () => number, turn: () => Promise<unknown>): Promise<number> {
  for (;;) {
    const before = read()
    for (let i = 0; i < TURNS; i += 1) await turn()
    if (read() === before) return before
  }
}

/** A request that passes through the whole server and touches nothing. */
export async function oneTurn(url: string): Promise<void> {
  const response = await fetch(`${url}/healthz`)
  await response.body?.cancel()
}
