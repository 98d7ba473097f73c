import type { Hook } from '#kit/connector/connector.ts'
import { ApiError } from '#model/errors.ts'

/** Limit: people that one call of a hook may name; further ones are ignored until their next scheduled sync. */
const MAX_PEOPLE = 1000
/** Limit: characters of a person's id in a hook; a longer one is ignored. */
const MAX_PERSON_ID = 500

/** The body of a webhook: services send JSON or a form; the connector knows which. */
export function readBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON, so it is a form.
    return Object.fromEntries(new URLSearchParams(text))
  }
}

/** What the connector reads from a body. It is signed, but may still be malformed: undefined then. */
export function readNames<Names>(read: () => Names, body: unknown): Names | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  try {
    return read()
  } catch {
    // The caller refuses a body without people, and the service sees the refusal.
    return undefined
  }
}

/** The native ids of the people that a body names. */
export function idsIn(people: unknown): string[] {
  if (!Array.isArray(people)) throw new ApiError('bad_body', 'The body names no person.')
  const ids = people.map((id: unknown) => (typeof id === 'string' || typeof id === 'number' ? String(id) : ''))
  return [...new Set(ids.filter(isPersonId))].slice(0, MAX_PEOPLE)
}

function isPersonId(id: unknown): boolean {
  return typeof id === 'string' && id !== '' && id.length <= MAX_PERSON_ID && !id.includes('\0')
}

/** The people who took back the app's access, and when. */
export function endedGrants(hook: Hook, body: unknown): Map<string, number> {
  const ended = readNames(() => hook.ended?.(body), body) ?? []
  const valid = ended.filter(({ person, at }) => isPersonId(person) && Number.isFinite(at)).slice(0, MAX_PEOPLE)
  return new Map(valid.map(({ person, at }) => [person, at]))
}
