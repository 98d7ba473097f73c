import { loadSdk } from '../../../real/sdks/load.ts'

/** What the tests use of octokit, whose types are absent from a fresh clone. */
export interface Octokit {
  paginate: {
    <Item = Found>(route: string, parameters?: object): Promise<Item[]>
    iterator: (route: string, parameters?: object) => AsyncIterable<Found[] & { data: Found[] }>
  }
  request: (route: string, parameters?: object) => Promise<OctokitResponse>
  rest: {
    issues: Record<'create' | 'createComment', (parameters: object) => Promise<OctokitResponse>>
    repos: Record<'get' | 'listForAuthenticatedUser', (parameters?: object) => Promise<OctokitResponse>>
  }
}

export interface Found {
  id: number
  name: string
  full_name: string
  number: number
}

interface OctokitResponse {
  status: number
  url: string
  headers: Record<string, string>
  data: Found & Record<string, unknown>
}

/** The class of octokit's errors. */
export interface RequestError extends Error {
  status: number
  response: OctokitResponse
}

interface OctokitOptions {
  baseUrl: string
  auth: string
  throttle?: object
  retry?: object
}

interface Package {
  Octokit: new (options: OctokitOptions) => Octokit
  RequestError: new () => RequestError
}

/** As it says itself, it waits between writes and repeats what failed, for which tests have no time. */
const AT_ONCE = { throttle: { enabled: false }, retry: { enabled: false } }

export async function loadOctokit() {
  const { Octokit, RequestError } = await loadSdk<Package>('octokit')
  return {
    RequestError,
    octokitAt: (baseUrl: string, auth: string, options: Partial<OctokitOptions> = AT_ONCE): Octokit =>
      new Octokit({ baseUrl, auth, ...options }),
  }
}
