// For pages: a sign-in in a popup. One file without imports, so that a page can load it as it is.

/** How a sign-in ended: the parameters of the address that the person returned to. */
export interface ConnectResult {
  code?: string
  access_token?: string
  account?: string
  /** After a link to reconnect: the profile. */
  reconnected?: string
  state?: string
  iss?: string
  error?: string
  error_description?: string
  error_uri?: string
}

export interface OpenOptions {
  /** Where the sign-in begins. A promise is possible, so that the window opens within the click. */
  url: string | Promise<string>
  /** Default: the `state` of the address. */
  state?: string
  /** The origin of the redirect page. Default: that of the `redirect_uri` of the address, else this page's. */
  origin?: string
  /** Aborting closes the window. */
  signal?: AbortSignal
  width?: number
  height?: number
}

export type PopupFault = 'blocked' | 'closed' | 'address_invalid' | (string & {})

/** The sign-in did not end with a connection. `reason` is `blocked`, `closed` or the name of the error: `access_denied`, … */
export class PopupError extends Error {
  override name = 'PopupError'
  readonly reason: PopupFault
  /** When the browser blocked the window: where to send the whole page instead. */
  readonly url: string | undefined

  constructor(reason: PopupFault, message: string, url?: string) {
    super(message)
    this.reason = reason
    this.url = url
  }
}

const TYPE = 'tributary:connect'
const RECEIVED = `${TYPE}:received`
const NAMES = [
  'code',
  'access_token',
  'account',
  'reconnected',
  'state',
  'iss',
  'error',
  'error_description',
  'error_uri',
] as const
const POLL_MS = 250
/** How often in a row the window must seem closed, with the focus on this page. */
const CLOSED_POLLS = 4
const ACKNOWLEDGE_MS = 1000

/**
 * Opens a sign-in in a popup and resolves when the person has returned. Call it in the handler of a click, or the browser blocks the
 * window. Only messages of the redirect page's exact origin count, and only with the `state` of this sign-in.
 */
export function openConnect(options: OpenOptions): Promise<ConnectResult> {
  const { signal, width = 520, height = 720 } = options
  const left = Math.max(0, screenX + (outerWidth - width) / 2)
  const top = Math.max(0, screenY + (outerHeight - height) / 2)
  const popup = signal?.aborted
    ? null
    : open('', '_blank', `popup,width=${width},height=${height},left=${left},top=${top}`)
  return Promise.resolve(options.url).then(
    (url) => {
      if (signal?.aborted) popup?.close()
      signal?.throwIfAborted()
      return follow(popup, url, options)
    },
    (error: unknown) => {
      popup?.close()
      throw error
    },
  )
}

function follow(popup: Window | null, url: string, options: OpenOptions): Promise<ConnectResult> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    popup?.close()
    throw new PopupError('address_invalid', 'The address of the sign-in is not an http address')
  }
  if (popup === null) throw new PopupError('blocked', 'The browser blocked the window', url)
  const { searchParams } = new URL(url)
  const redirect = searchParams.get('redirect_uri')
  const state = options.state ?? searchParams.get('state') ?? undefined
  const origin = options.origin ?? (redirect === null ? location.origin : new URL(redirect).origin)
  const { signal } = options
  return new Promise<ConnectResult>((resolve, reject) => {
    // Where a page on the way cuts the link between the windows, the redirect page is heard here, if its origin is this page's.
    const channel = new BroadcastChannel(TYPE)
    const end = () => {
      removeEventListener('message', onMessage)
      signal?.removeEventListener('abort', onAbort)
      clearInterval(timer)
      channel.close()
      popup.close()
    }
    const receive = (data: unknown) => {
      const { type, result } = (data ?? {}) as { type?: string; result?: ConnectResult }
      if (type !== TYPE || typeof result !== 'object' || result === null) return
      // Without a state, only a reconnect may end: it gives no code and no token.
      const isReconnect = result.code === undefined && result.access_token === undefined
      if (state === undefined ? !isReconnect || result.state !== undefined : result.state !== state) return
      // The redirect page waits for it, on either way.
      const received = { type: RECEIVED, state: result.state }
      channel.postMessage(received)
      popup.postMessage(received, origin)
      end()
      if (result.error === undefined) resolve(result)
      else reject(new PopupError(result.error, result.error_description ?? result.error))
    }
    const onMessage = (event: MessageEvent) => {
      if (event.origin === origin && event.source === popup) receive(event.data)
    }
    const onAbort = () => {
      end()
      reject(signal?.reason as Error)
    }
    // A window whose link was cut also seems closed; then the focus is there and not here.
    let closed = 0
    const timer = setInterval(() => {
      closed = popup.closed && document.hasFocus() ? closed + 1 : 0
      if (closed < CLOSED_POLLS) return
      end()
      reject(new PopupError('closed', 'The window was closed before the sign-in ended'))
    }, POLL_MS)
    addEventListener('message', onMessage)
    if (origin === location.origin) channel.addEventListener('message', ({ data }) => receive(data))
    signal?.addEventListener('abort', onAbort)
    popup.location.href = url
  })
}

/**
 * On the redirect page: hands the result to the page that opened the window, and closes it. `origin` is the exact origin of that page;
 * default: this page's. Resolves with the result, for a page that was not opened in a popup and goes on by itself: then `isPopup` is
 * false. Code and token are removed from the address first.
 */
export async function completeConnect({
  origin = location.origin,
}: {
  origin?: string
} = {}): Promise<ConnectResult & { isPopup: boolean }> {
  const result: ConnectResult = {}
  const url = new URL(location.href)
  const fragment = new URLSearchParams(url.hash.slice(1))
  for (const name of NAMES) {
    const value = url.searchParams.get(name) ?? fragment.get(name)
    if (value !== null) result[name] = value
    url.searchParams.delete(name)
  }
  url.hash = ''
  history.replaceState(history.state, '', url)
  const isPopup = await tell({ type: TYPE, result }, origin)
  if (isPopup) close()
  return { ...result, isPopup }
}

/** Tells the page that opened this window; false if no page acknowledges. */
function tell(message: { type: string; result: ConnectResult }, origin: string): Promise<boolean> {
  // Where a page on the way cut the link to the opener. A message in a channel only reaches pages of this origin.
  const channel = new BroadcastChannel(TYPE)
  return new Promise<boolean>((resolve) => {
    const end = (isReceived: boolean) => {
      clearTimeout(timer)
      removeEventListener('message', onMessage)
      channel.close()
      resolve(isReceived)
    }
    const receive = (data: { type?: string; state?: string } | null) => {
      if (data?.type === RECEIVED && data.state === message.result.state) end(true)
    }
    const onMessage = (event: MessageEvent) => {
      if (event.origin === origin && event.source === window.opener) receive(event.data as { type?: string } | null)
    }
    const timer = setTimeout(() => end(false), ACKNOWLEDGE_MS)
    addEventListener('message', onMessage)
    channel.addEventListener('message', (event: MessageEvent<{ type?: string } | null>) => receive(event.data))
    ;(window.opener as Window | null)?.postMessage(message, origin)
    channel.postMessage(message)
  })
}
