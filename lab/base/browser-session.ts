import type { Person } from './people.ts'
import { secret } from './random.ts'
import type { Reply } from './reply.ts'
import type { LabRequest } from './request.ts'

/** One browser's session at one service. The cookie name contains the service: ports do not separate cookies. */
export interface BrowserSession {
  id: string
  person?: Person
}

export interface BrowserSessions {
  of(request: LabRequest): BrowserSession | undefined
  ensure(request: LabRequest): BrowserSession
  /** Changes the id at every login to prevent session fixation. */
  renew(session: BrowserSession): void
  attach(session: BrowserSession, reply: Reply): Reply
}

/** `path` is the service's own, where several services share a host. */
export function createBrowserSessions(serviceName: string, path: () => string = () => ''): BrowserSessions {
  const cookieName = `lab_${serviceName}`
  const sessions = new Map<string, BrowserSession>()
  const create = (): BrowserSession => {
    const session = { id: secret() }
    sessions.set(session.id, session)
    return session
  }
  const of = (request: LabRequest) => sessions.get(cookieValue(request, cookieName) ?? '')
  return {
    of,
    ensure: (request) => of(request) ?? create(),
    renew(session) {
      sessions.delete(session.id)
      session.id = secret()
      sessions.set(session.id, session)
    },
    attach: (session, reply) => ({
      ...reply,
      headers: {
        ...reply.headers,
        'set-cookie': `${cookieName}=${session.id}; Path=${path()}/; HttpOnly; SameSite=Lax`,
      },
    }),
  }
}

function cookieValue(request: LabRequest, name: string): string | undefined {
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const cut = part.indexOf('=')
    if (cut > 0 && part.slice(0, cut).trim() === name) return part.slice(cut + 1).trim()
  }
  return undefined
}
