import { createHash } from 'node:crypto'
import { json, Refusal, type Reply, text, withHeaders } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import { declareApi } from '../../declare/api.ts'
import type { GithubData } from './data.ts'
import { githubError, notFound } from './errors.ts'
import type { GithubLimits, Resource } from './limits.ts'
import type { GithubOAuth } from './oauth.ts'
import { pagedReply } from './page.ts'
import type { View } from './present/repo.ts'
import { grants } from './scopes.ts'

export interface ApiParts {
  context: ServiceContext
  oauth: GithubOAuth
  data: GithubData
  limits: GithubLimits
}

export interface Call extends View {
  request: LabRequest
  params: Record<string, string>
  /** Whether the token has any of these scopes. */
  may: (...scopes: string[]) => boolean
}

interface Need {
  /** Any of them, as the response reports it; a handler decides what is hidden without them. */
  scopes?: string[]
  /** Which limit counts the call; null for none. */
  resource?: Resource | null
}

export type GithubApi = ReturnType<typeof githubApi>

const versions = ['2022-11-28', '2026-03-10']

/** Checks user agent, version, token and rate limits, then adds the response's ETag. */
export const githubApi = ({ context, oauth, data, limits }: ApiParts) =>
  declareApi<Need, Call>({
    admit({ request, params, need: { scopes: accepted = [], resource = 'core' } }) {
      if (request.headers['user-agent'] === undefined) throw new Refusal(noUserAgent)
      const version = headerText(request, 'x-github-api-version') ?? '2022-11-28'
      if (!versions.includes(version)) throw new Refusal(unknownVersion(version))
      const { person, scopes } = callerOf(oauth, request)
      const viewer = data.account(person.username)
      if (!viewer) throw new Error(`no account for ${person.username}`)
      const withUsage = resource === null ? (reply: Reply) => reply : limits.acquire(person.id, resource)
      const common = {
        'x-oauth-scopes': scopes.join(', '),
        'x-accepted-oauth-scopes': accepted.join(', '),
        'x-github-media-type': 'github.v3; format=json',
        'x-github-api-version-selected': version,
        'cache-control': 'private, max-age=60, s-maxage=60',
        vary: 'Accept, Authorization, Cookie, X-GitHub-OTP',
      }
      const may = (...required: string[]) => grants(scopes, required)
      return {
        call: { request, params, viewer, may, url: context.url(), data, version },
        finish(plain) {
          const reply = withHeaders(withUsage(plain), common)
          if (request.method !== 'GET' || reply.status !== 200) return reply
          const etag = `W/"${createHash('sha256').update(reply.body).digest('hex')}"`
          if (!sameTag(request, etag) && !notModifiedSince(request, reply)) return withHeaders(reply, { etag })
          const usage = resource === null ? {} : limits.refund(person.id, resource)
          const { 'content-type': _, ...headers } = { ...reply.headers, ...usage }
          return { status: 304, headers: { ...headers, etag }, body: '' }
        },
      }
    },
    reply: (value) => json(200, value),
    page: ({ url, request }, items, present) => pagedReply({ url, request, items, present }),
    unknown: { below: '', depth: 7, reply: notFound },
  })

const noUserAgent = text(
  403,
  'Request forbidden by administrative rules. Please make sure your request has a User-Agent header.',
)

const unknownVersion = (version: string): Reply =>
  githubError(400, `"${version}" is not a supported version of the REST API.`, {}, '/rest/overview/api-versions')

function callerOf(oauth: GithubOAuth, request: LabRequest) {
  const header = request.headers.authorization
  if (header === undefined) throw new Refusal(githubError(401, 'Requires authentication'))
  const caller = oauth.caller(/^(?:Bearer|token) (\S+)$/i.exec(header)?.[1] ?? '')
  if (!caller) throw new Refusal(githubError(401, 'Bad credentials'))
  return caller
}

function headerText(request: LabRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' ? value : undefined
}

const bare = (tag: string): string => tag.trim().replace(/^W\//, '')

const sameTag = (request: LabRequest, etag: string): boolean =>
  (headerText(request, 'if-none-match') ?? '').split(',').some((tag) => bare(tag) === bare(etag))

function notModifiedSince(request: LabRequest, reply: Reply): boolean {
  const since = headerText(request, 'if-modified-since')
  const modified = reply.headers['last-modified']
  if (since === undefined || typeof modified !== 'string' || request.headers['if-none-match'] !== undefined)
    return false
  return Date.parse(modified) <= Date.parse(since)
}
