import { json, Refusal } from '../../base/reply.ts'

/** The error body of the API. */
export function fault(status: number, message: string, resource: string, field: string, code: string): Refusal {
  return new Refusal(json(status, { message, errors: [{ resource, field, code }] }))
}
