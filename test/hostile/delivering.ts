import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { DestinationKind } from '#model/apps/destination.ts'

export interface Order {
  id: number
  kind: DestinationKind
  url: string
  ca?: string | undefined
  /** With the default timeouts; otherwise with short ones, because many servers never respond. */
  isPatient: boolean
}

export interface Report {
  id: number
  /** The outcome of each step. */
  ended: string[]
  /** Steps that threw anything but a DeliveryError. */
  odd: string[]
  rssBytes: number
}

const MAX_MS = 60_000

/** Set in the environment of the process, where drivers read it by default. */
export const OPERATORS_PASSWORD = 'operators-own-password'

/** A process that delivers. When it dies or hangs, the current order fails. */
export class Delivering {
  #child: ChildProcess | undefined
  #said = ''
  #last = 0
  readonly #waiting = new Map<number, { resolve: (report: Report) => void; reject: (error: Error) => void }>()

  async deliver(order: Omit<Order, 'id'>): Promise<Report> {
    const child = this.#start()
    const id = (this.#last += 1)
    return new Promise<Report>((resolve, reject) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), MAX_MS)
      const settled = () => clearTimeout(timer)
      this.#waiting.set(id, {
        resolve: (report) => {
          settled()
          resolve(report)
        },
        reject: (error) => {
          settled()
          reject(error)
        },
      })
      child.send({ ...order, id })
    })
  }

  async stop(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    const exited = once(child, 'exit')
    child.disconnect()
    await exited
  }

  #start(): ChildProcess {
    if (this.#child !== undefined) return this.#child
    const child = fork(new URL('deliver-child.ts', import.meta.url), {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, PGPASSWORD: OPERATORS_PASSWORD },
    })
    this.#child = child
    this.#said = ''
    child.stderr!.on('data', (chunk: Buffer) => {
      this.#said = (this.#said + chunk.toString()).slice(-4000)
    })
    child.on('message', (report: Report) => {
      this.#waiting.get(report.id)?.resolve(report)
      this.#waiting.delete(report.id)
    })
    child.on('close', (code, signal) => {
      this.#child = undefined
      for (const each of this.#waiting.values())
        each.reject(new Error(`The process ended (${signal ?? code}) under this delivery: ${this.#said}`))
      this.#waiting.clear()
    })
    return child
  }
}
