import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'

const URL_OF_API = process.env.TRIBUTARY_URL ?? 'http://localhost:8042'
const PORT = Number(process.env.PORT ?? 3000)
const app = { client_id: process.env.CLIENT_ID, client_secret: process.env.CLIENT_SECRET }
const redirect_uri = `http://localhost:${PORT}/back`

/** Sends a request. A response with an error becomes an exception with its status. */
export async function send(path, { method, form, accept = 'application/json' } = {}) {
  const body = form === undefined ? {} : { body: new URLSearchParams(form) }
  const response = await fetch(new URL(path, URL_OF_API), { method, headers: { accept }, ...body })
  if (response.ok) return response
  const { error } = await response.json()
  throw Object.assign(new Error(`${method ?? 'GET'} ${path.split('?')[0]}: ${error}`), { status: response.status })
}

/** The body of a response; `token` and other parameters go into the query. */
export const get = async (path, query) => (await send(`${path}?${new URLSearchParams(query)}`)).json()

/** Prints an address for the person, waits for their return and exchanges the code. With a token, the profile joins its account. */
export async function signIn(service, access_token) {
  const state = randomBytes(16).toString('hex')
  const returned = receive(state)
  const query = { client_id: app.client_id, redirect_uri, service, state, ...(access_token && { access_token }) }
  console.log(`Open ${URL_OF_API}/oauth/authenticate?${new URLSearchParams(query)}`)
  const response = await send('/oauth/access_token', { method: 'POST', form: { ...app, code: await returned } })
  return response.json()
}

/** Listens until the person comes back with the state that was sent. */
async function receive(state) {
  let settle
  const answer = new Promise((resolve, reject) => (settle = { resolve, reject }))
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, redirect_uri)
    response.end('You can close this page.')
    if (pathname !== '/back' || searchParams.get('state') !== state) return
    const error = searchParams.get('error')
    if (error === null) settle.resolve(searchParams.get('code'))
    else settle.reject(new Error(`Not connected: ${error}`))
  })
  await once(server.listen(PORT, 'localhost'), 'listening')
  return answer.finally(() => server.close())
}

/** All items of a list, back in time: each page begins at the oldest time of the one before. Items at that time come again. */
export async function allByUntil(path, query) {
  const found = new Map()
  for (let until = {}; ; ) {
    const page = await get(path, { ...query, ...until })
    const before = found.size
    for (const item of page) found.set(item.id, item)
    if (found.size === before) return [...found.values()]
    until = { until: page.at(-1).at }
  }
}

/** The same by the link that a page has when there are more. */
export async function allByLink(path, query) {
  const found = []
  for (let next = `${path}?${new URLSearchParams(query)}`; next !== undefined; ) {
    const response = await send(next)
    found.push(...(await response.json()))
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  }
  return found
}

/** Resolves when the first sync is done: the stream of its progress ends then. */
export const synced = async (service, access_token) =>
  (await send(`/profiles/${service}/sync?access_token=${access_token}`, { accept: 'text/event-stream' })).text()

/** Asks for a sync now. */
export const sync = (service, access_token) =>
  send(`/profiles/${service}/sync?access_token=${access_token}`, { method: 'POST' })

/** Ends a token. */
export const revoke = (token) => send('/oauth/revoke', { method: 'POST', form: { ...app, token } })
