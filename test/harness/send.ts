/** A response whose body was read. */
export interface Reply {
  status: number
  headers: Headers
  text: string
  /** The parsed body; empty when the response is not JSON. */
  body: Record<string, unknown>
}

type Body = NonNullable<RequestInit['body']>

/** The variable parts of a request. */
export interface RequestOptions {
  /** Sent as a Bearer token. */
  token?: string
  query?: Record<string, string>
  form?: Record<string, string>
  json?: unknown
  /** Sent unchanged, when neither `form` nor `json` is given. */
  body?: Body
  headers?: Record<string, string>
}

/** Any harness with a running service. */
export interface Running {
  tributary: { url: string }
}

/** Sends a request to the API and reads the response. Redirects are not followed. */
export async function send(
  { tributary }: Running,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Reply> {
  const url = new URL(`${tributary.url}${path}`)
  for (const [name, value] of Object.entries(options.query ?? {})) url.searchParams.append(name, value)
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    body: bodyOf(options),
    headers: {
      ...(options.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...options.headers,
    },
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && text !== ''
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
  }
}

function bodyOf({ form, json, body }: RequestOptions): Body | null {
  if (form !== undefined) return new URLSearchParams(form)
  return json === undefined ? (body ?? null) : JSON.stringify(json)
}

/** Sends a GET with an access token. */
export async function get(running: Running, path: string, token: string): Promise<Reply> {
  return send(running, 'GET', path, { token })
}
