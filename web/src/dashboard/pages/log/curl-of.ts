import type { Inspected } from './words.tsx'

/** A proxied call as a command for a shell, with a placeholder for the token. */
export function curlOf({ steps: [call] }: Pick<Inspected, 'steps'>, origin: string): string {
  const { method = 'GET', service = '', path = '' } = call?.detail ?? {}
  const address = quoted(`${origin}/proxy/${String(service)}${String(path)}`)
  const verb = method === 'GET' ? '' : ` -X ${quoted(String(method))}`
  return `curl${verb} ${address} \\\n  -H "Authorization: Bearer $TOKEN"`
}

/** A path is whatever an app sent: nothing in it may end the quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
