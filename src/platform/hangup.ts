/** Tells that whoever waits for an answer has left. Every proxied call has one, so that it is next to nothing until somebody asks for a signal. */
export class Hangup {
  #happened = false
  #listener: (() => void) | undefined
  #controller: AbortController | undefined

  get happened(): boolean {
    return this.#happened
  }

  /** For those who understand nothing else; made when one of them asks. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#happened) this.#controller.abort()
    return this.#controller.signal
  }

  /** One thing is under way at a time: the newest listener is told. */
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
