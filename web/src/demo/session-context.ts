import { createContext } from 'react'
import type { Session } from './demo-server.ts'

export interface SignedIn {
  token: string
  session: Session
  /** The newest time to read, where a simulated service is ahead of the present; lists end at the present otherwise. */
  until: number | undefined
}

export const SessionContext = createContext<SignedIn>({
  token: '',
  session: { client_id: '', services: [], exposed: false },
  until: undefined,
})
