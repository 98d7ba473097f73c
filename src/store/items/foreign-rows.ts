/** Refuses a row of a profile that was not asked for: a wrong statement or a wrong shard must never show it to anybody. */
export function refuseForeign(asked: ReadonlySet<string>, profileId: string): void {
  if (!asked.has(profileId)) throw new Error(`a row of another profile was read: ${profileId}`)
}
