import { Refusal, text } from '../base/reply.ts'

/** Says which check failed, first word first, so that a log line tells what the client did wrong. */
export function oauth1Error(check: string, detail: string, status = 401): Refusal {
  return new Refusal(
    text(status, `${check}: ${detail}`, { 'www-authenticate': 'OAuth realm="lab"', 'cache-control': 'no-store' }),
  )
}
