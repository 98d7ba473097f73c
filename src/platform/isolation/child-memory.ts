/**
 * Settings of the C library for child processes, which inherit the environment. By default glibc gives each thread an arena of its own and,
 * once a large block was freed, keeps what is free: 6 to 12 MB per process after the first sync.
 */
const CHILD_MEMORY = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' }

/** What the operator has set stays. */
export function limitChildMemory(environment: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(CHILD_MEMORY)) environment[name] ??= value
}

/** The size of the young generation, as in the demo. This process's other flags belong to a test runner or a debugger. */
export function inheritedFlags(): string[] {
  return process.execArgv.filter((flag) => flag.startsWith('--max-semi-space-size'))
}
