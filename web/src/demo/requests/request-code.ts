import type { SentRequest } from './recorder.ts'

/** The request as a command for a terminal. */
export function curlOf({ method, path, headers, body }: SentRequest, origin: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const isJson = headers['accept'] !== 'text/event-stream'
  const lines = [
    `curl ${isJson ? '-s ' : '-N '}${method === 'GET' ? '' : `-X ${method} `}${quoted(origin + path)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
  ]
  return lines.join(' \\\n  ') + (isJson ? ' | jq' : '')
}

/** The request as a program that uses the SDK. */
export function codeOf({ code, headers }: SentRequest, clientId: string, origin: string): string {
  const token = headers['authorization']?.slice('Bearer '.length) ?? ''
  return [
    `import { createClient } from '@tributary-hub/client'`,
    '',
    `const client = createClient({ baseUrl: '${origin}', clientId: '${clientId}' })`,
    `const account = client.account('${token}')`,
    '',
    code.startsWith('await') ? `console.log(${code})` : code,
  ].join('\n')
}
