/**
 * What a process that a test starts gets of our environment: where programs are, and what Node compiled at earlier
 * starts, which halves the time of a start.
 */
export const childEnv: Record<string, string> = Object.fromEntries(
  ['PATH', 'NODE_COMPILE_CACHE'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }),
)
