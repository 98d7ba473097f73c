// app/connect/route.js
import { client, redirect_uri } from './client.js'

/** Sends the person to the service. The cookie keeps `state` and the verifier for ten minutes, in this browser only. */
export async function GET(request) {
  const service = new URL(request.url).searchParams.get('service') ?? 'demo-social'
  const { url, ...session } = await client.startConnect({ service, redirect_uri })
  const value = encodeURIComponent(JSON.stringify(session))
  return new Response(null, {
    status: 302,
    headers: { location: url, 'set-cookie': `connect=${value}; HttpOnly; SameSite=Lax; Path=/back; Max-Age=600` },
  })
}
