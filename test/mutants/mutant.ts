/** One changed line that breaks what a check promises: a test of the check must fail with it. */
export interface Mutant {
  /** The id of the check; only tests whose names contain it are run. */
  check: string
  /** The file to change. */
  file: string
  /** Occurs exactly once in the file. */
  find: string
  replace: string
  /** The cheapest tests of the check that notice. */
  tests: readonly [string, ...string[]]
}

const A_DOZEN = 12

/** At most a dozen, spread over the list; as many consecutive seeds as there are dozens choose each mutant once. */
export function dozenOf<Each>(mutants: readonly Each[], seed: number): Each[] {
  const groups = Math.ceil(mutants.length / A_DOZEN)
  return mutants.filter((_, i) => i % groups === seed % groups)
}

/** The text with the change. Throws if it is not clear which line is meant. */
export function mutate(text: string, { check, file, find, replace }: Mutant): string {
  const parts = text.split(find)
  if (parts.length !== 2) throw new Error(`${check}: ${file} has ${parts.length - 1} times: ${find}`)
  return parts.join(replace)
}
