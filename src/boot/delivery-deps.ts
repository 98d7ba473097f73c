import { createKinds } from '#destinations/kinds.ts'
import { type Connections, createConnections } from '#flows/push/connections.ts'
import { createPushCounters, type PushCounters } from '#flows/push/delivery-counters.ts'
import type { Dependencies } from './deps.ts'

/** Adds the drivers of all kinds of destinations. Processes that deliver nothing do not load them. */
export interface DeliveryDependencies extends Dependencies {
  connections: Connections
  pushCounters: PushCounters
}

export function withDeliveryDeps(deps: Dependencies): DeliveryDependencies {
  const connections = createConnections(deps, createKinds(deps.config))
  return {
    ...deps,
    connections,
    pushCounters: createPushCounters(),
    close: async () => {
      await connections.close()
      await deps.close()
    },
  }
}
