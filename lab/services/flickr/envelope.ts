import { json, Refusal, type Reply } from '../../base/reply.ts'

/** Every response of a method has status 200; `stat` tells whether it failed. */
export const ok = (fields: Record<string, unknown>): Reply => json(200, { ...fields, stat: 'ok' })

export const fail = (code: number, message: string): Refusal => new Refusal(json(200, { stat: 'fail', code, message }))

/** Problems of OAuth are not in the format of the API. */
export const oauthProblem = (problem: string): Reply => ({
  status: 401,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: `oauth_problem=${problem}`,
})
