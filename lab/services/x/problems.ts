import { json, Refusal, type Reply } from '../../base/reply.ts'

const types = 'https://api.x.com/2/problems'
const asProblem = { 'content-type': 'application/problem+json; charset=utf-8' }

export const plainProblem = (status: number, title: string): Reply =>
  json(status, { title, type: 'about:blank', status, detail: title }, asProblem)

export const unauthorized = (): Refusal => new Refusal(plainProblem(401, 'Unauthorized'))
export const forbidden = (): Refusal => new Refusal(plainProblem(403, 'Forbidden'))

export const noDmPermission = (): Refusal =>
  new Refusal(
    json(
      403,
      {
        title: 'Forbidden',
        detail: 'Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.',
        type: `${types}/oauth1-permissions`,
        status: 403,
      },
      asProblem,
    ),
  )

/** An invalid parameter; the error contains its value. */
export const invalidParameter = (name: string, value: string, message: string): Refusal =>
  new Refusal(
    json(
      400,
      {
        errors: [{ parameters: { [name]: [value] }, message }],
        title: 'Invalid Request',
        detail: 'One or more parameters to your request was invalid.',
        type: `${types}/invalid-request`,
      },
      asProblem,
    ),
  )

/** An error inside a response of status 200: the requested object was not found. */
export const missing = (resource: 'tweet' | 'user', parameter: string, id: string) => ({
  value: id,
  detail: `Could not find ${resource} with ${parameter}: [${id}].`,
  title: 'Not Found Error',
  resource_type: resource,
  parameter,
  resource_id: id,
  type: `${types}/resource-not-found`,
})

export type Missing = ReturnType<typeof missing>
