import { CALL_MUTANTS } from './calls.ts'
import { IDENTITY_MUTANTS } from './identity.ts'
import type { Mutant } from './mutant.ts'
import { PUSH_MUTANTS } from './push.ts'
import { SERVICE_MUTANTS } from './service.ts'
import { SIGN_IN_MUTANTS } from './sign-in.ts'
import { SURFACE_MUTANTS } from './surfaces.ts'

/** At least one for each check of docs/checks.md. */
export const MUTANTS: readonly Mutant[] = [
  ...SIGN_IN_MUTANTS,
  ...CALL_MUTANTS,
  ...IDENTITY_MUTANTS,
  ...SURFACE_MUTANTS,
  ...PUSH_MUTANTS,
  ...SERVICE_MUTANTS,
]
