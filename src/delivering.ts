import { type Connections, createConnections } from '#flows/deliver/connections.ts'
import { createKinds } from '#flows/deliver/destinations/index.ts'
import { createTallies, type Tallies } from '#flows/deliver/tally.ts'
import type { Dependencies } from './dependencies.ts'

/** What deliveries need beyond the rest: the drivers of all kinds of destinations. Processes that deliver nothing do not load them. */
export interface Delivering extends Dependencies {
  connections: Connections
  tallies: Tallies
}

export function withDelivering(need: Dependencies): Delivering {
  const connections = createConnections(need, createKinds(need.config))
  return {
    ...need,
    connections,
    tallies: createTallies(),
    close: async () => {
      await connections.close()
      await need.close()
    },
  }
}
