import { html } from '../../base/html.ts'
import { form, json, type Reply } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'

type Fields = Record<string, string | number>

/** Form-encoded unless `Accept` requests JSON or XML. Errors have status 200 too. */
export function tokenReply(request: LabRequest, fields: Fields): Reply {
  const accept = request.headers.accept ?? ''
  const headers = { 'cache-control': 'max-age=0, private, must-revalidate' }
  if (/\bjson\b/.test(accept)) return json(200, fields, headers)
  if (/\bapplication\/xml\b/.test(accept)) {
    const inner = Object.entries(fields).map(([name, value]) => html`<${name}>${value}</${name}>`)
    return {
      status: 200,
      headers: { 'content-type': 'application/xml; charset=utf-8', ...headers },
      body: html`<OAuth>${inner}</OAuth>`.html,
    }
  }
  const texts = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
  return form(200, texts, { ...headers, 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' })
}

const page = '/apps/managing-oauth-apps/troubleshooting-oauth-app-access-token-request-errors/'
const descriptions: Record<string, string> = {
  incorrect_client_credentials: 'The client_id and/or client_secret passed are incorrect.',
  redirect_uri_mismatch: 'The redirect_uri MUST match the registered callback URL for this application.',
  bad_verification_code: 'The code passed is incorrect or expired.',
  bad_refresh_token: 'The refresh token passed is incorrect or expired.',
  unsupported_grant_type: 'The grant type is not supported.',
}

export const tokenError = (request: LabRequest, error: string): Reply =>
  tokenReply(request, {
    error,
    error_description: descriptions[error] ?? error,
    error_uri: `${page}#${error.replaceAll('_', '-')}`,
  })
