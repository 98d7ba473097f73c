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

  constructor(reason: EgressReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EgressError'
    this.reason = reason
  }
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
