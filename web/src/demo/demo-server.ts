/** The demo's own server: it keeps the access token of this browser's account, as the server of any app does. */
export interface DemoService {
  service: string
  title: string
  summary: string
  connected: boolean
}

export interface Session {
  client_id: string
  services: DemoService[]
  /** Whether others can reach this demo; its controls are off then. */
  exposed: boolean
  account?: string
  access_token?: string
}

/** What a simulated service does at present. */
export interface Control {
  service: string
  down: boolean
  throttled: boolean
  /** The time at the service, in epoch milliseconds. */
  now: number
}

export type Action = 'week_later' | 'down' | 'up' | 'revoke' | 'throttle' | 'unthrottle'

export const readSession = (signal: AbortSignal): Promise<Session> => answer('/demo/session', { signal })
export const forgetSession = (): Promise<unknown> => answer('/demo/session', { method: 'DELETE' })
export const readControls = (signal: AbortSignal): Promise<Control[]> => answer('/demo/controls', { signal })
export const control = (action: Action, service?: string): Promise<unknown> =>
  answer('/demo/controls', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(service === undefined ? { action } : { action, service }),
  })

async function answer<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetch(path, { ...init, credentials: 'same-origin' })
  const text = await response.text()
  if (!response.ok) throw new Error(sentenceIn(text) ?? `${path} answered ${response.status}.`)
  return (text === '' ? undefined : JSON.parse(text)) as T
}

function sentenceIn(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: string }
    return message
  } catch {
    // Not JSON: the page of a reverse proxy, for example. The status says enough.
    return undefined
  }
}
