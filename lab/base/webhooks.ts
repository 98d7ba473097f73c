/** One webhook that a service has sent. */
export interface Delivery {
  url: string
  headers: Record<string, string>
  body: string
  /** Of the response; undefined while it is sent, 0 where nobody responded. */
  status: number | undefined
}

/** Lets tests see and repeat what a service has sent. */
export interface WebhookControl {
  deliveries: readonly Delivery[]
  /** Sends a delivery once more, with other headers where given. Resolves with the status of the response. */
  repeat(delivery: Pick<Delivery, 'url' | 'headers' | 'body'>, headers?: Record<string, string>): Promise<number>
  /** Resolves when every webhook sent so far has a response. */
  settled(): Promise<void>
}

export interface Webhooks extends WebhookControl {
  /** Sends without waiting for the response: no service waits for its subscribers. */
  deliver(url: string, headers: Record<string, string>, body: string): void
}

/** `reach` is the address at which this process reaches the subscriber. */
export function createWebhooks(reach: (url: string) => string = (url) => url): Webhooks {
  const deliveries: Delivery[] = []
  const open = new Set<Promise<unknown>>()
  const send = async (url: string, headers: Record<string, string>, body: string): Promise<number> => {
    const delivery: Delivery = { url, headers, body, status: undefined }
    deliveries.push(delivery)
    try {
      const response = await fetch(reach(url), { method: 'POST', headers, body, redirect: 'manual' })
      await response.body?.cancel()
      delivery.status = response.status
    } catch {
      // Nobody listens there any more; a vendor would try again later.
      delivery.status = 0
    }
    return delivery.status
  }
  const tracked = (sending: Promise<number>): Promise<number> => {
    open.add(sending)
    void sending.finally(() => open.delete(sending))
    return sending
  }
  return {
    deliveries,
    deliver: (url, headers, body) => void tracked(send(url, headers, body)),
    repeat: ({ url, headers, body }, other = {}) => tracked(send(url, { ...headers, ...other }, body)),
    settled: async () => {
      while (open.size > 0) await Promise.all(open)
    },
  }
}
