import { PURGES } from './purges.ts'
import { SIGN_IN_TASKS } from './sign-in-tasks.ts'

export const APP_WAKES = 'app_wakes'

/** The names of all tasks of this release. */
export const TASK_NAMES: readonly string[] = [...[...PURGES, ...SIGN_IN_TASKS].map(({ name }) => name), APP_WAKES]
