// Processes every photo that Tributary pushes into this database: new ones, changed ones again, deleted ones away.
import { readFileSync } from 'node:fs'
import { createClient } from '@tributary-hub/client'
import pg from 'pg'

const { DATABASE_URL } = process.env
const client = createClient({
  baseUrl: process.env.TRIBUTARY_URL ?? 'http://localhost:8042',
  clientId: process.env.CLIENT_ID,
  clientSecret: process.env.CLIENT_SECRET,
})
const database = new pg.Client({ connectionString: DATABASE_URL })
await database.connect()
await database.query(readFileSync(new URL('schema.sql', import.meta.url), 'utf8'))

// Once: tell Tributary to keep the photos of everybody in this database. Repeating this changes nothing.
const name = 'postgres-worker'
if (!(await client.push.list()).some((destination) => destination.name === name))
  await client.push.add({ name, kind: 'postgres', url: DATABASE_URL, filter: ['/types/photos'] })

// An item has work to do if its `seq` is not the one that was processed. `skip locked` lets several workers run.
const DUE = `
  select i.profile_id, i.id, i.seq, i.oembed ->> 'title' as title, i.deleted_at is not null as is_deleted
  from tributary_items i left join processed p on p.profile_id = i.profile_id and p.item_id = i.id
  where (i.deleted_at is null and p.seq is distinct from i.seq) or (i.deleted_at is not null and p.seq is not null)
  order by i.seq limit 100 for update of i skip locked`
const DONE = `
  insert into processed (profile_id, item_id, seq, title) values ($1, $2, $3, $4)
  on conflict (profile_id, item_id) do update set seq = excluded.seq, title = excluded.title`

async function processBatch() {
  await database.query('begin')
  try {
    const { rows } = await database.query(DUE)
    for (const { profile_id, id, seq, title, is_deleted } of rows) {
      // Your work goes here. It is in the same transaction as the note that it was done.
      if (is_deleted)
        await database.query('delete from processed where profile_id = $1 and item_id = $2', [profile_id, id])
      else await database.query(DONE, [profile_id, id, seq, title])
    }
    await database.query('commit')
    return rows.length
  } catch (error) {
    await database.query('rollback')
    // The tables appear with the first delivery.
    if (error.code === '42P01') return 0
    throw error
  }
}

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop.abort())
while (!stop.signal.aborted) {
  const done = await processBatch()
  if (done > 0) console.log(`${done} processed`)
  else await new Promise((resolve) => setTimeout(resolve, 500))
}
await database.end()
