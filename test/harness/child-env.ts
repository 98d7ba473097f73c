/**
 * The environment that child processes inherit: PATH, and the compile cache of Node, which halves the time of a start.
 * Nothing else, so that the settings of the machine cannot change a test.
 */
export const childEnv: Record<string, string> = Object.fromEntries(
  ['PATH', 'NODE_COMPILE_CACHE'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }),
)
