/** Below every item id: where a scan in the order of ids begins. */
export const FIRST_ITEM_ID = '00000000000000000000000000000000'

/** SQL for the 32 hex digits of an item id, which the database stores as a UUID. */
export function hexId(column: string): string {
  return `replace(${column}::text, '-', '')`
}
