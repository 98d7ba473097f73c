import type { Person } from './people.ts'
import type { Reply } from './reply.ts'

export interface Permission {
  name: string
  /** What it means, in plain words, as a continuation of "The app will be able to". */
  description: string
}

export type Decision = { allowed: true; person: Person; permissions: string[] } | { allowed: false }

/** What an authorization server wants to know from the person in front of the browser. */
export interface ConsentRequest {
  clientName: string
  /** Where the person goes afterwards, shown on the page. */
  returnsTo: string
  permissions: Permission[]
  /** Ask for the password even when this browser is already signed in. */
  mustLogin: boolean
  note?: string
  finish(decision: Decision): Reply
}
