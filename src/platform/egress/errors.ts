export type EgressReason =
  | 'url_invalid'
  | 'scheme_refused'
  | 'plain_http_refused'
  | 'userinfo_refused'
  | 'port_refused'
  | 'unix_socket_refused'
  | 'address_refused'
  | 'name_unresolved'
  | 'too_many_addresses'

/** An outgoing connection that the guard did not allow; nothing has left the machine. */
export class EgressError extends Error {
  readonly reason: EgressReason
  /** The host was given by name, not as an address. */
  readonly ofName: boolean

  constructor(reason: EgressReason, message: string, options: ErrorOptions & { ofName?: boolean } = {}) {
    super(message, options)
    this.name = 'EgressError'
    this.reason = reason
    this.ofName = options.ofName ?? false
  }
}

/**
 * True for a name that has no address, or none that may be reached. Which of them it is, is for the operator alone: an app could
 * find out otherwise which names there are inside the network.
 */
export function isNameRefusal({ reason, ofName }: EgressError): boolean {
  return ofName && reason !== 'plain_http_refused'
}

/** Finds the guard's refusal inside the wrappers that HTTP clients and drivers put around it. */
export function egressErrorIn(error: unknown): EgressError | undefined {
  let current = error
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    if (current instanceof EgressError) return current
    current = current.cause
  }
  return undefined
}
