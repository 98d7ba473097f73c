/** A profile and the shard that its rows are in. */
export interface ProfileKey {
  shard: number
  profileId: string
}
