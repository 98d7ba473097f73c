import { Refusal } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import { githubError } from './errors.ts'

/** The JSON object of a request, whatever its Content-Type says. */
export function bodyOf({ body }: LabRequest): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(body.toString())
  } catch {
    throw new Refusal(githubError(400, 'Problems parsing JSON'))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal(githubError(400, 'Body should be a JSON object'))
  return value as Record<string, unknown>
}
