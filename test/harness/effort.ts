/** Of the number of cases with which a generated test is worth its name. */
const SHARES: Record<string, number> = { test: 0.2, nightly: 8 }

/**
 * The number of cases of a generated test: `full` in `npm run test:system` and where a file is run by name, a fifth of it in
 * `npm test`, eight times as many at night. A variable of the environment wins.
 */
export function cases(full: number, variable: string): number {
  const given = process.env[variable]
  if (given !== undefined) return Number(given)
  return Math.ceil(full * (SHARES[process.env['TEST_TIER'] ?? ''] ?? 1))
}

/** What a test repeats its assertions for: `some` in `npm test`, `all` in `npm run test:system` and where a file is run by name. */
export function sampled<Each>(some: readonly Each[], all: readonly Each[]): readonly Each[] {
  return process.env['TEST_TIER'] === 'test' ? some : all
}

/**
 * The seed of a generated test: always the same, so that a run does not fail by luck, except at night, when chance finds new
 * cases. A variable of the environment wins.
 */
export function seedOf(variable: string): number {
  const given = process.env[variable]
  if (given !== undefined) return Number(given)
  return process.env['TEST_TIER'] === 'nightly' ? Math.floor(Math.random() * 2 ** 31) : 20_261_118
}
