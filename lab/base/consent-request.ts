import type { Person } from './people.ts'
import type { Reply } from './reply.ts'

export interface Permission {
  name: string
  /** Continues the sentence "The app will be able to". */
  description: string
}

export type Decision = { allowed: true; person: Person; permissions: string[] } | { allowed: false }

/** A request for the person's consent, shown in the browser. */
export interface ConsentRequest {
  clientName: string
  /** The redirect's host, shown on the page. */
  returnsTo: string
  permissions: Permission[]
  /** Require the password even if this browser is signed in. */
  mustLogin: boolean
  note?: string
  finish(decision: Decision): Reply
}
