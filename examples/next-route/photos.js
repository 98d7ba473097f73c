// app/photos/route.js
import { client } from './client.js'

/** The person's newest photos. */
export async function GET(request) {
  const [, token] = /(?:^|; )token=([^;]+)/.exec(request.headers.get('cookie') ?? '') ?? []
  if (token === undefined) return Response.json({ error: 'not connected' }, { status: 401 })
  const photos = await client.account(token).items('photos', { limit: 10 }).take(10)
  return Response.json(photos.map(({ id, at, oembed }) => ({ id, at, title: oembed?.title, url: oembed?.url })))
}
