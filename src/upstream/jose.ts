import { createRequire } from 'node:module'
import type * as Jose from 'jose'

const requireModule = createRequire(import.meta.url)

/** The package for signed tokens, loaded at its first use: most services need none, and it costs every process 2 MB. */
export const jose = () => requireModule('jose') as typeof Jose
