// app/back/route.js
import { ConnectError } from '@tributary-hub/client'
import { client } from './client.js'

const FORGET = 'connect=; HttpOnly; SameSite=Lax; Path=/back; Max-Age=0'

/** Receives the person, redeems the code and keeps the token: here in a cookie, in a real app with its user. */
export async function GET(request) {
  const [, stored] = /(?:^|; )connect=([^;]+)/.exec(request.headers.get('cookie') ?? '') ?? []
  if (stored === undefined) return new Response('This sign-in did not begin in this browser.', { status: 400 })
  try {
    const session = JSON.parse(decodeURIComponent(stored))
    const { access_token } = await client.finishConnect(request.url, session)
    const headers = new Headers({ location: '/photos' })
    headers.append('set-cookie', FORGET)
    headers.append('set-cookie', `token=${access_token}; HttpOnly; SameSite=Lax; Path=/`)
    return new Response(null, { status: 302, headers })
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error
    return Response.json({ error: error.reason }, { status: 400, headers: { 'set-cookie': FORGET } })
  }
}
