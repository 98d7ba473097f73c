import { endpointOf } from './own-items.ts'
import type { Registry } from './registry.ts'

/**
 * Why a service, by its name or alias, cannot have an endpoint of this name. Undefined when it has one, and when it may:
 * own items are stored at any name, and what an operator's connector brought is still there when the connector is gone.
 */
export function endpointFault(registry: Registry, service: string, endpoint: string): string | undefined {
  const connector = registry.find(service)
  if (connector === undefined || endpointOf(registry, service, endpoint) !== undefined) return undefined
  return `${connector.title} has no endpoint “${endpoint}”. There is: ${Object.keys(connector.endpoints).join(', ')}.`
}
