// Signs people in, and shows their newest photos.
import { randomUUID } from 'node:crypto'
import { ConnectError, createClient, isTributaryError } from '@tributary-hub/client'
import express from 'express'

const port = Number(process.env.PORT ?? 3000)
const redirect_uri = `http://localhost:${port}/back`
const client = createClient({
  baseUrl: process.env.TRIBUTARY_URL ?? 'http://localhost:8042',
  clientId: process.env.CLIENT_ID,
  clientSecret: process.env.CLIENT_SECRET,
})

/** What the app knows of each browser. A real app has a session store; this one forgets everything when it ends. */
const sessions = new Map()

// Express 5 forwards what an async handler throws to its error handler.
const app = express()

app.use((request, response, next) => {
  const id = /(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1]
  if (id !== undefined && sessions.has(id)) request.session = sessions.get(id)
  else {
    const created = randomUUID()
    request.session = {}
    sessions.set(created, request.session)
    response.cookie('session', created, { httpOnly: true, sameSite: 'lax' })
  }
  next()
})

app.get('/connect', async (request, response) => {
  // `state` and the verifier belong to this browser: without them, a code of somebody else could be redeemed here.
  request.session.started = await client.startConnect({ redirect_uri, service: request.query.service ?? 'demo-social' })
  response.redirect(request.session.started.url)
})

app.get('/back', async (request, response) => {
  const { started } = request.session
  delete request.session.started
  if (started === undefined) return response.status(400).send('This sign-in did not begin in this browser.')
  try {
    const { access_token, account } = await client.finishConnect(new URL(request.url, redirect_uri), started)
    Object.assign(request.session, { token: access_token, account })
    return response.redirect('/')
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error
    return response.status(400).send(`Not connected: ${escaped(error.reason)}. <a href="/connect">Try again</a>`)
  }
})

app.get('/', async (request, response) => {
  if (request.session.token === undefined) return response.send('<a href="/connect">Connect Demo Social</a>')
  const person = client.account(request.session.token)
  try {
    const [{ name }, photos] = await Promise.all([person.person(), person.items('photos', { limit: 12 }).take(12)])
    const list = photos.map(({ oembed }) => `<li>${escaped(oembed?.title ?? oembed?.url ?? '')}</li>`).join('')
    return response.send(`<h1>${escaped(name ?? '')}</h1><ul>${list}</ul><p>New photos appear when you reload.</p>`)
  } catch (error) {
    if (!isTributaryError(error, 'token_invalid')) throw error
    delete request.session.token
    return response.redirect('/')
  }
})

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

app.listen(port, () => console.log(`http://localhost:${port}/`))
