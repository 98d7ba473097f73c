import { z } from 'zod'
import { redeemCode } from '#flows/authorize/exchange.ts'
import { findDemoApp } from '#flows/manage/authenticate-app.ts'
import { connectPath } from '#flows/operate/demo.ts'
import { ApiError } from '#model/errors.ts'
import { html } from './pages/html.ts'
import { page, sendPage } from './pages/layout.ts'
import { text } from './parameters.ts'
import { route } from './route.ts'

/** Stands in for the app's own server, so that a newcomer sees the whole way without writing one. Only `tributary demo` has it. */
export const demoCallback = route({
  door: 'page',
  acts: true,
  summary: 'The demo app: redeems the code and shows what to do with the token',
  type: 'text/html',
  query: z.object({ code: text('From the redirect.').optional(), error: text('What went wrong.').optional() }),
  reasons: ['not_found', 'code_invalid'],
  run: async (house, { query, reply }) => {
    const demo = house.demo()
    if (demo === undefined) throw new ApiError('not_found')
    const again = connectPath(demo)
    if (query.code === undefined) {
      return sendPage(
        reply,
        page(
          'Not connected',
          html`<h1>Not connected</h1><div class="card"><p>The service said: <code>${query.error ?? 'nothing'}</code></p><p><a class="button" href="${again}">Try again</a></p></div>`,
        ),
        400,
      )
    }
    const { token, account, profile } = await redeemCode(house, await findDemoApp(house, demo.clientId), {
      code: query.code,
    })
    const curl = (path: string) => `curl '${house.config.baseUrl}${path}' -H 'authorization: Bearer ${token}'`
    const more = `${again}&${new URLSearchParams({ access_token: token }).toString()}`
    return sendPage(
      reply,
      page(
        'Connected',
        html`<h1>${profile.person.name ?? profile.nativeId} is connected</h1>
<div class="card"><p>Account <code>${account.id}</code> now has a profile at <strong>${profile.service}</strong>. Its items are being read right now.</p>
<p>Read them:</p>
<pre>${curl('/types/all?limit=3')}</pre>
<pre>${curl('/types/photos?limit=3&fields=at,oembed.title,oembed.url')}</pre>
<pre>${curl(`/profiles/${profile.service}/sync`)}</pre>
<p><a class="button" href="${more}">Connect another service to this account</a></p></div>
<p class="soft">In your own app the code goes to your server, which redeems it with the client secret; the token never shows up in a browser.</p>`,
      ),
    )
  },
})
