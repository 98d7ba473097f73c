import { once } from 'node:events'
import { Client } from 'pg'

const PAGE = 100

/** Inserts the stored rows of a profile again under another name, one page per statement. Returns the milliseconds it took. */
export async function prepareBareInserts(
  client: Client,
  { shard, id }: { shard: number; id: string },
): Promise<(name: string) => Promise<number>> {
  const { rows } = await client.query<Record<string, unknown>>(
    `select id, endpoint, native_id, at, updated_at, seq, hash, types, author, participants, guid, lat, lng, words::text as words,
       oembed::text as oembed, data::text as data from item where profile_id = $1`,
    [id],
  )
  const names = Object.keys(rows[0]!)
  const batches: unknown[][] = []
  for (let from = 0; from < rows.length; from += PAGE)
    batches.push(rows.slice(from, from + PAGE).flatMap((row) => names.map((name) => row[name])))
  const tuple = (row: number) => `($1, $2, ${names.map((_, i) => `$${3 + row * names.length + i}`).join(', ')})`
  const values = Array.from({ length: PAGE }, (_, row) => tuple(row)).join(', ')
  const text = `insert into item (shard, profile_id, ${names.join(', ')}) values ${values}`
  return async (name) => {
    const beganAt = performance.now()
    for (const batch of batches)
      await client.query({ name: 'bench-bare', text, values: [shard, `${id}-${name}`, ...batch] })
    return performance.now() - beganAt
  }
}

/** A process that inserts at each message. */
async function serve(url: string, nativeId: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const found = await client.query<{ shard: number; id: string }>(
    'select shard, id from profile where native_id = $1',
    [nativeId],
  )
  const insert = await prepareBareInserts(client, found.rows[0]!)
  process.on('disconnect', () => process.exit(0))
  process.send?.('ready')
  for (let time = 0; ; time += 1) {
    await once(process, 'message')
    await insert(`bare-${time}`)
    process.send?.('inserted')
  }
}

const [, , url, nativeId] = process.argv
if (import.meta.main) await serve(url!, nativeId!)
