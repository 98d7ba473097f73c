import { rawClient } from '../raw-http.ts'
import type { Wire } from './fixture.ts'

const USUAL =
  "x-request-id: ID · cache-control: no-store · x-content-type-options: nosniff · x-frame-options: DENY · referrer-policy: no-referrer · content-security-policy: default-src 'none'; frame-ancestors 'none'"
const CORS =
  /access-control-allow-origin: \* · access-control-expose-headers: Link, ETag, [\w, -]+, WWW-Authenticate(?= ·)/g
const REFUSAL =
  /\{"error":"(.*?)","code":(\d+),"reason":"(\w+)","see":"http:\/\/own\.test\/docs#\3","request_id":"[0-9a-z]+"\}/g

/** Sends bytes on a connection of their own, and returns everything that came back, until the server closed it. */
export async function transcriptOf({ url }: Pick<Wire, 'url'>, bytes: string): Promise<string> {
  const client = await rawClient(url)
  client.send(bytes)
  return readable(await client.ended)
}

/** The head of each response and its body, on a line each, without what differs from run to run. */
export function readable(received: string): string {
  return Buffer.from(received, 'latin1')
    .toString('utf8')
    .split(/(?=HTTP\/1\.1 \d)/)
    .filter((response) => response !== '')
    .flatMap((response) => {
      const end = response.indexOf('\r\n\r\n')
      const body = response.slice(end + 4)
      const head = response.slice('HTTP/1.1 '.length, end).replaceAll('\r\n', ' · ')
      return [named(head), ...(body === '' ? [] : [shortened(body)])]
    })
    .join('\n')
}

/** Headers that nearly every response has get a word. */
function named(head: string): string {
  return head
    .replace(/x-request-id: [\w.-]+/, 'x-request-id: ID')
    .replace(/Date: [^·]+ GMT/, 'Date')
    .replace(USUAL, '(usual)')
    .replace(CORS, '(any origin)')
    .replace('content-type: application/json; charset=utf-8', '(JSON)')
    .replace(`${USUAL.split(' · ').slice(1).join(' · ')} · x-request-id: ID`, '(unread)')
}

function shortened(body: string): string {
  return body
    .replaceAll(REFUSAL, '$2 $3: $1')
    .replace(/<!doctype html>[^]*<\/html>/i, '(a page)')
    .replaceAll(/a{100,}/g, 'a…')
    .replaceAll('\r\n', '⏎')
    .trimEnd()
}
