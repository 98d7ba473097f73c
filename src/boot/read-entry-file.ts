import type { Connector } from '#kit/connector/connector.ts'
import { entryFaults } from '#kit/entry/entry-faults.ts'
import { type Entry, entryFileSchema } from '#kit/entry/entry-schema.ts'
import { expandEntry } from '#kit/entry/expand-entry.ts'
import { findJsonFault } from '#platform/formats/json-fault.ts'

/** Reads and checks the text of a file of entries. Faults name the service and the path in its entry. */
export function readEntryFile(text: string): { connectors: Connector[]; faults: string[] } {
  const fault = findJsonFault(text)
  if (fault !== undefined)
    return { connectors: [], faults: [`it is not JSON: line ${fault.line}, column ${fault.column}: ${fault.problem}`] }
  const file: unknown = JSON.parse(text)
  const services = isObject(file) && isObject(file['services']) ? file['services'] : {}
  const faults = Object.entries(services).flatMap(([service, entry]) =>
    entryFaults(service, entry).map(({ field, expected }) => `\`${service}\` at \`${field}\`: ${expected}`),
  )
  const shape = entryFileSchema.safeParse(file)
  // What is wrong within an entry is reported above, with its name.
  const outside = shape.success ? [] : shape.error.issues.filter(({ path }) => path.length < 3)
  for (const { path, message } of outside) faults.push(`\`${path.join('.') || 'file'}\`: ${message}`)
  if (faults.length > 0) return { connectors: [], faults }
  return {
    connectors: Object.entries(services).map(([service, entry]) => expandEntry(service, entry as Entry)),
    faults: [],
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
