import { Refusal, text } from '../base/reply.ts'

/** The response begins with the name of the failed check, which makes log lines useful. */
export function oauth1Error(check: string, detail: string, status = 401): Refusal {
  return new Refusal(
    text(status, `${check}: ${detail}`, { 'www-authenticate': 'OAuth realm="lab"', 'cache-control': 'no-store' }),
  )
}
