import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError } from '#model/errors.ts'
import { codeOf } from '#platform/errors.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import type { HttpServer } from '../exchange/serve.ts'
import { html } from '../pages/html.ts'
import { page, sendPage } from '../pages/layout.ts'
import { acceptedEncodings } from '../request/accepted-encoding.ts'
import type { HttpDeps } from '../server/deps.ts'
import { ownHosts } from '../server/own-hosts.ts'

/** Written by scripts/build-web.mjs. */
const BUILT = join(import.meta.dirname, '../../../web/dist')
const ASSETS = '/web/assets/'
/** The names that Vite gives: a name, the hash of the content, an ending. */
const ASSET = /^[\w-]+\.(js|css|svg|png|webp|json)$/
const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  webp: 'image/webp',
  json: 'application/json; charset=utf-8',
}
const ENDINGS = { br: '.br', gzip: '.gz' }

type WebPage = 'dashboard' | 'demo'

/**
 * Serves the built pages of `web/` and their files: the dashboard at every address below `/dashboard`, because it has a router of its
 * own. The demo's page is a route, which only `tributary demo` has.
 */
export function mountWeb(server: HttpServer, deps: HttpDeps): void {
  const show = (name: WebPage) => (request: HttpRequest, reply: HttpReply) => sendWebPage(deps, name, request, reply)
  const get = (url: string, handler: (request: HttpRequest, reply: HttpReply) => Promise<HttpReply>) =>
    server.route({ methods: ['GET', 'HEAD'], url, page: !url.startsWith(ASSETS), isWebFile: true, handler })
  get('/dashboard', show('dashboard'))
  get('/dashboard/*', show('dashboard'))
  get(`${ASSETS}:file`, sendAsset)
}

/** Sends a built page; while it is not built, a page that says so and loads again. */
async function sendWebPage(
  { config }: Pick<HttpDeps, 'config'>,
  name: WebPage,
  request: HttpRequest,
  reply: HttpReply,
): Promise<HttpReply> {
  return (await sendBuiltPage({ config }, name, request, reply)) ?? sendPage(reply, NOT_BUILT, 503)
}

/** Sends a page if it is built. */
export async function sendBuiltPage(
  { config }: Pick<HttpDeps, 'config'>,
  name: WebPage,
  request: HttpRequest,
  reply: HttpReply,
): Promise<HttpReply | undefined> {
  const text = await readBuilt(`${name}.html`)
  return text && sendPage(reply, text.toString('utf8'), 200, policyFor(request, config.baseUrl))
}

/**
 * Scripts and styles come from our own files only: not `'self'`, because responses of services that the proxy passes on are of this
 * origin too. Forms may lead to the configured host, where the page was opened by another name.
 */
function policyFor(request: HttpRequest, baseUrl: string): string {
  const hosts = ownHosts(request, baseUrl)
  const assets = hosts.map((host) => `${host}${ASSETS}`).join(' ')
  return [
    "default-src 'none'",
    `script-src ${assets}`,
    `style-src ${assets}`,
    "img-src 'self' https: data:",
    "connect-src 'self'",
    `form-action 'self' ${hosts.join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

async function sendAsset(request: HttpRequest, reply: HttpReply): Promise<HttpReply> {
  const { file } = request.params as { file: string }
  const type = TYPES[ASSET.exec(file)?.[1] ?? '']
  if (type === undefined) throw new ApiError('not_found')
  // The name changes with the content.
  reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' }).type(type)
  for (const encoding of acceptedEncodings(request.headers['accept-encoding'], ['br', 'gzip'])) {
    const content = await readBuilt(`assets/${file}${ENDINGS[encoding]}`)
    if (content !== undefined) return reply.header('content-encoding', encoding).send(content)
  }
  const content = await readBuilt(`assets/${file}`)
  if (content === undefined) {
    reply.header('cache-control', 'no-store')
    throw new ApiError('not_found')
  }
  return reply.send(content)
}

/** Reads a file of the built pages; undefined while they are not built. */
export async function readBuilt(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(join(BUILT, path))
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    return undefined
  }
}

const NOT_BUILT = page(
  'The pages are being built · Tributary',
  html`<h1>The pages are being built</h1>
<div class="card"><p>This takes a few seconds after the first start. Load this page again then.</p>
<p>If it stays: <code>npm run build</code> builds the pages and says what is wrong. The API works without them.</p></div>`,
  { narrow: true },
)
