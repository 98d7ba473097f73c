import type { Hook } from '#kit/connector.ts'
import { sameText } from '#kit/hook.ts'

/**
 * The User Push API posts a form whose `user` and `checkin` hold JSON. Nothing is signed: the app's push secret stands in
 * the field `secret`.
 */
export const push: Hook = {
  verify: ({ body, secret, sign }) => sameText(sign, new URLSearchParams(body).get('secret') ?? '', secret),
  people: (body) => {
    const fields = typeof body === 'string' ? Object.fromEntries(new URLSearchParams(body)) : recordIn(body)
    const id = idIn(fields?.['user']) ?? idIn(recordIn(fields?.['checkin'])?.['user'])
    return id === undefined ? [] : [id]
  },
}

function idIn(value: unknown): string | undefined {
  const id = recordIn(value)?.['id']
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
}

/** An object, also where it stands as JSON in a field of the form. */
function recordIn(value: unknown): Record<string, unknown> | undefined {
  if (typeof value === 'string') return recordIn(parsed(value))
  return typeof value === 'object' && value !== null ? { ...value } : undefined
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? undefined : value
  } catch {
    // Anybody may call the hook: a field that is no JSON names nobody.
    return undefined
  }
}
