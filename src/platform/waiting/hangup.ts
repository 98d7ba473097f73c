/** Records that the client of a call disconnected. Every proxied call has one, so it creates an AbortController only on demand. */
export class Hangup {
  #happened = false
  #listener: (() => void) | undefined
  #controller: AbortController | undefined

  get happened(): boolean {
    return this.#happened
  }

  /** For functions that take an AbortSignal; created at the first use. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#happened) this.#controller.abort()
    return this.#controller.signal
  }

  /** Replaces the previous listener, because a call does one thing at a time. */
  listen(listener: () => void): void {
    if (this.#happened) listener()
    else this.#listener = listener
  }

  happen(): void {
    this.#happened = true
    this.#listener?.()
    this.#controller?.abort()
  }
}
