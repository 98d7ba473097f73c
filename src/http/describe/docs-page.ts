import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { ApiError } from '#model/errors.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { PAGE_POLICY, page } from '../pages/layout.ts'
import { isKnown, sendFixed } from '../server/fixed-text.ts'
import { ownHosts } from '../server/own-hosts.ts'
import { route } from '../server/route.ts'
import { NOT_MODIFIED } from './description/other-responses.ts'
import { guides, readLimits, readPicture } from './docs/guides.ts'
import { readReference } from './docs/reference.ts'
import { llmsText, referenceMarkdown } from './docs/reference-markdown.ts'
import { referenceHtml } from './docs/reference-page.ts'

const MARKDOWN = 'text/markdown; charset=utf-8'
const SCRIPT = '/docs/try-it.js'

/**
 * The page loads one script and calls the API; nothing inline. Not `'self'`, because responses of services that the proxy passes on are
 * of this origin too: a page must not run them.
 */
function policyFor(request: HttpRequest, baseUrl: string): string {
  const scripts = ownHosts(request, baseUrl).map((host) => `${host}${SCRIPT}`)
  return `${PAGE_POLICY}; script-src ${scripts.join(' ')}; connect-src 'self'`
}

const described = ({ server }: HttpRequest) => readReference(server.describe())

export const docsPage = route({
  auth: 'browser',
  summary: 'Show the API reference; with `Accept: text/markdown` as markdown',
  type: 'text/html',
  media: { 'text/markdown': z.string() },
  headers: ['ETag'],
  also: NOT_MODIFIED,
  run: async ({ config }, { request, reply }) => {
    reply.headers({ 'content-security-policy': policyFor(request, config.baseUrl), vary: 'accept' })
    const { accept = '' } = request.headers
    if (accept.includes('text/markdown') && !accept.includes('text/html'))
      return sendFixed(request, reply, MARKDOWN, () => referenceMarkdown(described(request)), '/docs.md')
    return sendFixed(request, reply, 'text/html; charset=utf-8', () =>
      page('API reference · Tributary', referenceHtml(described(request)), { wide: true }),
    )
  },
})

export const docsMarkdown = route({
  auth: 'browser',
  summary: 'Get the API reference as markdown',
  type: 'text/markdown',
  headers: ['ETag'],
  also: NOT_MODIFIED,
  run: async (_deps, { request, reply }) =>
    sendFixed(request, reply, MARKDOWN, () => referenceMarkdown(described(request))),
})

export const docsScript = route({
  auth: 'browser',
  summary: 'Get the script of the API reference',
  type: 'text/javascript',
  headers: ['ETag'],
  also: NOT_MODIFIED,
  run: async (_deps, { request, reply }) =>
    sendFixed(request, reply, 'text/javascript; charset=utf-8', () =>
      readFileSync(join(import.meta.dirname, 'docs/try-it.js'), 'utf8'),
    ),
})

export const docsGuide = route({
  auth: 'browser',
  summary: 'Get a page of the documentation as markdown, or its limits as JSON',
  type: 'text/markdown',
  path: z.object({ page: z.string().max(100).describe('The name of the page, such as `push.md`.') }),
  headers: ['ETag'],
  also: NOT_MODIFIED,
  reasons: ['not_found'],
  media: { 'application/json': z.string() },
  run: async (_deps, { path, request, reply }) =>
    path.page === 'limits.json'
      ? sendFixed(request, reply, 'application/json; charset=utf-8', readLimits, '/docs/limits.json')
      : sendGuide(request, reply, path.page),
})

export const docsFile = route({
  auth: 'browser',
  summary: 'Get a guide or a decision as markdown, or a picture of the documentation',
  type: 'text/markdown',
  path: z.object({
    folder: z.string().max(100).describe('`guides`, `decisions`, `images` or `pictures`.'),
    file: z.string().max(100).describe('The name of the file, such as `connect-a-person.md`.'),
  }),
  media: { 'image/png': z.string(), 'image/svg+xml': z.string() },
  headers: ['ETag'],
  also: NOT_MODIFIED,
  reasons: ['not_found'],
  run: async (_deps, { path: { folder, file }, request, reply }) => {
    const picture = readPicture(folder, file)
    if (picture === undefined) return sendGuide(request, reply, `${folder}/${file}`)
    const etag = `"${createHash('sha256').update(picture.bytes).digest('base64url').slice(0, 22)}"`
    reply.header('etag', etag)
    if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type(picture.type).send(picture.bytes)
  },
})

function sendGuide(request: HttpRequest, reply: HttpReply, wanted: string): Promise<HttpReply> {
  const found = guides().find(({ name }) => name === wanted || name === `${wanted}.md`)
  if (found === undefined) throw new ApiError('not_found')
  return sendFixed(request, reply, MARKDOWN, () => found.text, `/docs/${found.name}`)
}

export const llms = route({
  auth: 'browser',
  summary: 'Get an index of the documentation for agents (llmstxt.org)',
  type: 'text/plain',
  headers: ['ETag'],
  also: NOT_MODIFIED,
  run: async (_deps, { request, reply }) =>
    sendFixed(request, reply, 'text/plain; charset=utf-8', () => llmsText(described(request), guides())),
})
