import { IDENTITY_CHECKS } from './identity.ts'
import { PUSH_CHECKS } from './push.ts'
import { SECURITY_CHECKS } from './security.ts'
import { SERVICE_CHECKS } from './service.ts'
import { SURFACE_CHECKS } from './surfaces.ts'

/** What a release must prove: S security, P push and sync, R the service itself. Each check has tests whose names begin with its id, and a mutant. */
export interface Check {
  id: string
  /** What is done to the service. */
  check: string
  /** The condition to pass. */
  passes: string
}

export const CHECKS: readonly Check[] = [
  ...SECURITY_CHECKS,
  ...IDENTITY_CHECKS,
  ...SURFACE_CHECKS,
  ...PUSH_CHECKS,
  ...SERVICE_CHECKS,
]
