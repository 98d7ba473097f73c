import { json, Refusal, type Reply } from '../../base/reply.ts'

const reasons: Record<number, string> = {
  200: 'OK',
  201: 'Created',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Limit Exceeded',
}

export const wrapped = (response: unknown, status = 200): Reply =>
  json(status, { meta: { status, msg: reasons[status] }, response })

/** An error response has an empty list as its `response`. */
export const failure = (status: number, detail: string, code = 0): Reply =>
  json(status, {
    meta: { status, msg: reasons[status] },
    response: [],
    errors: [{ title: reasons[status], code, detail }],
  })

export const refused = (status: number, detail: string, code = 0): Refusal => new Refusal(failure(status, detail, code))
