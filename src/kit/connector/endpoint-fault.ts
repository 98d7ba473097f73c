import { endpointOf } from './own-items.ts'
import type { Registry } from './registry.ts'

/**
 * Explains why a service, by name or alias, has no endpoint of this name. Undefined when it has one or may have stored items under
 * it: own items use any name, and items outlive the connector that read them.
 */
export function endpointFault(registry: Registry, service: string, endpoint: string): string | undefined {
  const connector = registry.find(service)
  if (connector === undefined || endpointOf(registry, service, endpoint) !== undefined) return undefined
  return `${connector.title} has no endpoint “${endpoint}”. Its endpoints: ${Object.keys(connector.endpoints).join(', ')}.`
}
