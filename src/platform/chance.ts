/** A random number from 0 to below 1. Passed in, so that tests can choose it. For jitter and sampling, never for secrets. */
export type Chance = () => number

export const systemChance: Chance = () => Math.random()
