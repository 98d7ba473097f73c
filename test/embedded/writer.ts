/** Writes rows as fast as they are acknowledged and prints each acknowledged number. Arguments: URL, writer name. */
import { writeSync } from 'node:fs'
import { Client } from 'pg'

const [url, writer] = process.argv.slice(2)
const client = new Client({ connectionString: url })
client.on('error', () => process.exit(1))
await client.connect()
for (let n = 1; ; n++) {
  await client.query('INSERT INTO load (writer, n, filler) VALUES ($1, $2, $3)', [writer, n, 'x'.repeat(n % 2000)])
  writeSync(1, `${n}\n`)
}
