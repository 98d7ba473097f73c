/**
 * The environment of child processes. By default glibc gives each thread an arena of its own and, once a large block was freed, keeps
 * what is free: 6 to 12 MB per process after the first sync. What the operator has set wins.
 */
export function childEnvironment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072', ...own }
}

/** The size of the young generation, as in the demo. This process's other flags belong to a test runner or a debugger. */
export function inheritedFlags(): string[] {
  return process.execArgv.filter((flag) => flag.startsWith('--max-semi-space-size'))
}
