export interface Reply {
  status: number
  headers: Headers
  text: string
  /** Empty when the answer is no JSON object. */
  body: Record<string, unknown>
}

type Body = NonNullable<RequestInit['body']>

export interface RequestOptions {
  token?: string
  query?: Record<string, string>
  form?: Record<string, string>
  json?: unknown
  /** Sent as it is, where it is neither form nor JSON. */
  body?: Body
  headers?: Record<string, string>
}

/** Whatever holds a running service. */
export interface Running {
  tributary: { url: string }
}

/** Any call of the API; redirects come back as they are. */
export async function send(
  { tributary }: Running,
  method: string,
  path: string,
  ask: RequestOptions = {},
): Promise<Reply> {
  const url = new URL(`${tributary.url}${path}`)
  for (const [name, value] of Object.entries(ask.query ?? {})) url.searchParams.append(name, value)
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    body: bodyOf(ask),
    headers: {
      ...(ask.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(ask.token === undefined ? {} : { authorization: `Bearer ${ask.token}` }),
      ...ask.headers,
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

export async function get(running: Running, path: string, token: string): Promise<Reply> {
  return send(running, 'GET', path, { token })
}
