import { type Queries, statement } from '#platform/postgres/database.ts'

const find = statement('sync-shards-of-app', 'select distinct shard from profile_sync where app_id = $appId')

/** The shards in which an app has profiles. What concerns all of them is done shard by shard, in statements of their own. */
export async function shardsOfApp(queries: Queries, appId: string): Promise<number[]> {
  return (await queries.rows<{ shard: number }>(find.with({ appId }))).map(({ shard }) => shard)
}
