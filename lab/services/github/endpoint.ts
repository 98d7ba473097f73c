import { createHash } from 'node:crypto'
import { Refusal, type Reply, text } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { Handler } from '../../base/router.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import type { GithubData } from './data.ts'
import { githubError } from './errors.ts'
import type { GithubLimits, Resource } from './limits.ts'
import type { Account } from './model.ts'
import type { GithubOAuth } from './oauth.ts'
import type { Presenter } from './present-repo.ts'
import { grants } from './scopes.ts'

export interface ApiParts {
  context: ServiceContext
  oauth: GithubOAuth
  data: GithubData
  limits: GithubLimits
}

export interface ApiCall {
  request: LabRequest
  params: Record<string, string>
  viewer: Account
  presenter: Presenter
  /** Whether the token has any of these scopes. */
  may: (...scopes: string[]) => boolean
}

export type ApiHandler = (call: ApiCall) => Reply
export type EndpointFactory = (
  accepted: string[],
  handler: ApiHandler,
  options?: { free?: boolean; resource?: Resource },
) => Handler

const versions = ['2022-11-28', '2026-03-10']

/** Wraps a handler: checks user agent, version, token and rate limits, then adds the response's ETag. */
export function createEndpointFactory({ context, oauth, data, limits }: ApiParts): EndpointFactory {
  return (accepted, handler, options = {}) =>
    (request, params) => {
      if (request.headers['user-agent'] === undefined)
        return text(
          403,
          'Request forbidden by administrative rules. Please make sure your request has a User-Agent header.',
        )
      const version = headerText(request, 'x-github-api-version') ?? '2022-11-28'
      if (!versions.includes(version))
        return githubError(
          400,
          `"${version}" is not a supported version of the REST API.`,
          {},
          '/rest/overview/api-versions',
        )
      const { person, scopes } = callerOf(oauth, request)
      const viewer = data.account(person.username)
      if (!viewer) throw new Error(`no account for ${person.username}`)
      const common = {
        'x-oauth-scopes': scopes.join(', '),
        'x-accepted-oauth-scopes': accepted.join(', '),
        'x-github-media-type': 'github.v3; format=json',
        'x-github-api-version-selected': version,
        'cache-control': 'private, max-age=60, s-maxage=60',
        vary: 'Accept, Authorization, Cookie, X-GitHub-OTP',
      }
      const usage = options.free ? undefined : limits.acquire(person.id, options.resource)
      const presenter = { url: context.url(), data, version }
      const may = (...required: string[]) => grants(scopes, required)
      const reply = replyOf(() => handler({ request, params, viewer, presenter, may }))
      const headers = { ...common, ...usage?.headers, ...reply.headers }
      if (request.method !== 'GET' || reply.status !== 200) return { ...reply, headers }
      const etag = `W/"${createHash('sha256').update(reply.body).digest('hex')}"`
      const unchanged = sameTag(request, etag) || notModifiedSince(request, reply)
      if (!unchanged) return { ...reply, headers: { ...headers, etag } }
      const { 'content-type': _, ...headersWithoutType } = { ...headers, ...usage?.refund() } as Record<string, string>
      return { status: 304, headers: { ...headersWithoutType, etag }, body: '' }
    }
}

function replyOf(handler: () => Reply): Reply {
  try {
    return handler()
  } catch (error) {
    if (error instanceof Refusal) return error.reply
    throw error
  }
}

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
