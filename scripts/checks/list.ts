import { PUSH_CHECKS } from './push.ts'
import { SECURITY_CHECKS } from './security.ts'
import { SERVICE_CHECKS } from './service.ts'

/** What a release must show: S security, P push and sync, R the service itself. Each is shown by tests whose names begin with its id. */
export interface Check {
  id: string
  /** What is done to the service. */
  check: string
  /** What it takes to pass. */
  passes: string
  /** Why no test shows it yet; a check without this needs a test. */
  untested?: string
}

export const CHECKS: readonly Check[] = [...SECURITY_CHECKS, ...PUSH_CHECKS, ...SERVICE_CHECKS]
