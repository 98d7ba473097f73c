/** A number from 0 up to 1. Comes in as a value, so that tests can choose it. For spreading load, never for secrets. */
export type Chance = () => number

export const systemChance: Chance = () => Math.random()
