import { callback } from '../../testing/oauth2-client.ts'
import { type App, returnedTo } from '../facebook/testing.ts'

export const bothScopes = 'instagram_business_basic,instagram_business_manage_comments'

export function exchangeCode(app: App, fields: Record<string, string>): Promise<Response> {
  const body = new URLSearchParams({
    client_id: app.key,
    client_secret: app.secret,
    grant_type: 'authorization_code',
    redirect_uri: callback,
    ...fields,
  })
  return fetch(app.service.endpoints['token_url'] ?? '', { method: 'POST', body })
}

export interface DataResponse {
  data: { access_token: string; user_id: string; permissions: string }[]
}

export async function tokenOf(app: App, scope = bothScopes, person = 'ada', permissions?: string[]): Promise<string> {
  const code = (await returnedTo(app, scope, person, permissions)).searchParams.get('code') ?? ''
  const response = (await (await exchangeCode(app, { code })).json()) as DataResponse
  return response.data[0]?.access_token ?? ''
}
