import { z } from 'zod'
import { parseGlobalId } from '#model/items/idr.ts'
import type { PersonPosition } from '#model/people/people-index.ts'

/** Limit: characters of the cursor of `/people`; a longer one is answered with 400. */
const MAX_CURSOR = 1000

const position = z.tuple([z.string(), z.string().refine((id) => parseGlobalId(id) !== undefined)])

/** The position of a person in the list, opaque to callers. It stays valid when the person is renamed or deleted. */
export function writeCursor({ sortKey, contacts: [id] }: PersonPosition): string {
  return Buffer.from(JSON.stringify([sortKey, id])).toString('base64url')
}

export const peopleCursor = z
  .string()
  .max(MAX_CURSOR)
  .transform((text, context): PersonPosition => {
    const parsed = position.safeParse(parseJson(Buffer.from(text, 'base64url').toString()))
    if (parsed.success) return { sortKey: parsed.data[0], contacts: [parsed.data[1]] }
    context.addIssue({ code: 'custom', message: 'must be the cursor of a `Link` header' })
    return z.NEVER
  })
  .optional()
  .describe('Only people after this position, from the `Link` header of the page before.')

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Refused by the schema, which names the parameter.
    return undefined
  }
}
