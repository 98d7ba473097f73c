import { get, type Running } from './send.ts'

/** An item as the API returns it. */
export interface Item {
  id: string
  idr: string
  at: number
  updated: number
  types: Record<string, true>
  data: Record<string, unknown>
}

/** Reads a list of items; fails unless the status is 200. */
export async function items<Shape = Item>(running: Running, path: string, token: string): Promise<Shape[]> {
  const { status, text, body } = await get(running, path, token)
  if (status !== 200) throw new Error(`${path} returned ${status}: ${text}`)
  return body as unknown as Shape[]
}
