import { join } from 'node:path'

/** The program that tests start as a process: the sources, or the bundle in the system tier (`test/run.ts`). */
export const PROGRAM = process.env['TEST_PROGRAM'] ?? join(import.meta.dirname, '../../src/main.ts')
