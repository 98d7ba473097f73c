import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { ApiError } from '#model/errors.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { PAGE_POLICY, page } from '../pages/layout.ts'
import { sendFixed } from '../server/fixed-text.ts'
import { ownHosts } from '../server/own-hosts.ts'
import { route } from '../server/route.ts'
import { NOT_MODIFIED } from './description/other-responses.ts'
import { readReference } from './docs/reference.ts'
import { llmsText, referenceMarkdown } from './docs/reference-markdown.ts'
import { referenceHtml } from './docs/reference-page.ts'

const MARKDOWN = 'text/markdown; charset=utf-8'
const GUIDES = join(import.meta.dirname, '../../../docs')
const SIMULATED = join(import.meta.dirname, '../../../lab/services')
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
  summary: 'Get a page of the documentation as markdown',
  type: 'text/markdown',
  path: z.object({ page: z.string().max(100).describe('The name of the page, such as `push.md`.') }),
  headers: ['ETag'],
  also: NOT_MODIFIED,
  reasons: ['not_found'],
  run: async (_deps, { path, request, reply }) => {
    const found = guides().find(({ name }) => name === path.page || name === `${path.page}.md`)
    if (found === undefined) throw new ApiError('not_found')
    return sendFixed(request, reply, MARKDOWN, () => found.text, `/docs/${found.name}`)
  },
})

export const llms = route({
  auth: 'browser',
  summary: 'Get an index of the documentation for agents (llmstxt.org)',
  type: 'text/plain',
  headers: ['ETag'],
  also: NOT_MODIFIED,
  run: async (_deps, { request, reply }) =>
    sendFixed(request, reply, 'text/plain; charset=utf-8', () => llmsText(described(request), guides())),
})

interface Guide {
  name: string
  title: string
  text: string
}

let known: Guide[] | undefined

/** The pages of the documentation that came with this installation. */
function guides(): Guide[] {
  known ??= [
    ...guideNames().map((name) => ({ name, file: join(GUIDES, name) })),
    // Of the demo services, whose vendor is this installation.
    ...namesIn(SIMULATED, (name) => name.startsWith('demo-')).map((name) => ({
      name: `${name}.md`,
      file: join(SIMULATED, name, 'README.md'),
    })),
  ].map(({ name, file }) => {
    const text = readFileSync(file, 'utf8')
    return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text }
  })
  return known
}

const guideNames = () => namesIn(GUIDES, (name) => name.endsWith('.md'))

function namesIn(folder: string, isWanted: (name: string) => boolean): string[] {
  try {
    return readdirSync(folder).filter(isWanted).sort()
  } catch {
    // An image may leave the pages out.
    return []
  }
}
