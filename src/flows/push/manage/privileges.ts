import * as mysql from '#destinations/mysql/tables.ts'
import * as postgres from '#destinations/postgres/tables.ts'
import type { DestinationKind } from '#model/apps/destination.ts'

const SCRIPTS = new Map<string, (place: string) => string>([
  ['postgres', postgres.leastPrivilegeScript],
  ['mysql', mysql.leastPrivilegeScript],
] satisfies [DestinationKind, (place: string) => string][])

/** Kinds whose servers have roles. */
export const KINDS_WITH_ROLES = ['postgres', 'mysql'] as const satisfies DestinationKind[]

/** The SQL that creates a role with the privileges that deliveries need, and no others; undefined for a kind without roles. */
export function privilegesScript(kind: string, place: string): string | undefined {
  return SCRIPTS.get(kind)?.(place)
}
