import { createHash } from 'node:crypto'
import { NOT_MODIFIED } from '../describe/description/other-responses.ts'
import type { HttpReply } from '../exchange/reply.ts'
import { html } from '../pages/html.ts'
import { page, sendPage } from '../pages/layout.ts'
import { isKnown } from '../server/fixed-text.ts'
import { route } from '../server/route.ts'
import { readBuilt } from './web-app.ts'

const FILE = 'client.tgz'

/** The package of the client, as `scripts/build-web.mjs` built it with the pages: always that of the version which runs. */
async function readPackage(): Promise<{ bytes: Buffer; integrity: string } | undefined> {
  const bytes = await readBuilt(FILE)
  return bytes && { bytes, integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}` }
}

export const clientPackage = route({
  auth: 'browser',
  summary: 'Get the npm package of the JavaScript client of this version',
  type: 'application/gzip',
  headers: ['ETag'],
  also: {
    ...NOT_MODIFIED,
    503: { description: 'The package is being built: after the first start.', type: 'text/html' },
  },
  run: async ({ version }, { request, reply }) => {
    const found = await readPackage()
    if (found === undefined) return sendNotBuilt(reply)
    const etag = `"${found.integrity}"`
    // Installers keep the file; each time they ask whether it is still this one.
    reply.headers({ etag, 'cache-control': 'public, no-cache' })
    if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
    const name = `tributary-hub-client-${version}.tgz`
    return reply
      .type('application/gzip')
      .header('content-disposition', `attachment; filename="${name}"`)
      .send(found.bytes)
  },
})

export const clientPage = route({
  auth: 'browser',
  summary: 'Show how to install the JavaScript client',
  type: 'text/html',
  also: { 503: { description: 'The package is being built: after the first start.', type: 'text/html' } },
  run: async ({ config, version }, { reply }) => {
    const found = await readPackage()
    if (found === undefined) return sendNotBuilt(reply)
    const address = `${config.baseUrl}/${FILE}`
    return sendPage(
      reply,
      page(
        'JavaScript client · Tributary',
        html`<h1>JavaScript client</h1>
<p class="soft">@tributary-hub/client ${version}, for Node 20 and newer, Deno, Bun, browsers and edge runtimes; with types, without dependencies</p>
<div class="card"><p>Install it from this server. It is the client of the version that runs here:</p>
<pre tabindex="0">npm install ${address}</pre>
<pre tabindex="0">import { createClient } from '@tributary-hub/client'

const client = createClient({
  baseUrl: '${config.baseUrl}',
  clientId: '…',
  clientSecret: '…', // only on a server
})</pre></div>
<h2>When this server is upgraded</h2>
<div class="card"><p>The same command installs the client of the new version. A lock file keeps the hash of what you installed, so
<code>npm ci</code> refuses another file with <code>EINTEGRITY</code> instead of installing it. To install the same file again later, or where this
server cannot be reached, keep the file with your app:</p>
<pre tabindex="0">curl --output tributary-hub-client-${version}.tgz ${address}
npm install ./tributary-hub-client-${version}.tgz</pre>
<p>Hash of the file, as lock files write it:<br><code>${found.integrity}</code></p></div>
<p><a href="/docs">API reference</a> · <a href="/docs/integrate.md">Integrate in ten minutes</a></p>`,
      ),
    )
  },
})

/** Installers try again. */
function sendNotBuilt(reply: HttpReply): HttpReply {
  reply.header('retry-after', 5)
  return sendPage(
    reply,
    page(
      'The client is being built · Tributary',
      html`<h1>The client is being built</h1>
<div class="card"><p>This takes a few seconds after the first start. Try again then.</p>
<p>If it stays: <code>npm run build</code> builds it and says what is wrong.</p></div>`,
      { narrow: true },
    ),
    503,
  )
}
