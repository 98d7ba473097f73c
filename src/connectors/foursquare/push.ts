import type { Hook } from '#kit/connector/connector.ts'
import { sameText } from '#kit/connector/hook.ts'

/**
 * The User Push API posts a form whose `user` and `checkin` are JSON. It is not signed: the field `secret` has the
 * app's push secret.
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

/** An object, also as JSON in a form field. */
function recordIn(value: unknown): Record<string, unknown> | undefined {
  if (typeof value === 'string') return recordIn(parseField(value))
  return typeof value === 'object' && value !== null ? { ...value } : undefined
}

function parseField(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? undefined : value
  } catch {
    // Anybody can call the hook, so a field that is not JSON is expected.
    return undefined
  }
}
