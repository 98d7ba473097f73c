import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Client } from 'pg'
import { CLUSTER_NODES } from '../../harness/database/cluster.ts'
import { type Opened, openEmptyCluster } from '../opened.ts'
import { ACCEPTED_ACTIONS, REFUSED_ACTIONS } from './forms.ts'

const skip = CLUSTER_NODES.length === 0 && 'needs a sharded server: npm run test:citus'
const SCRATCH = `
  create table other (shard smallint, n int);
  create sequence numbers;
  create table scratch (shard smallint not null, id text, n int, t text, filled int not null, primary key (shard, id));
  alter table scratch add constraint unchecked check (n > -1) not valid;
  select create_distributed_table('scratch', 'shard', colocate_with => 'none');
  insert into scratch values (1, 'a', 1, 't', 1);`

suite('the lists of DDL agree with a sharded server', { skip }, () => {
  let opened: Opened
  let client: Client
  before(async () => {
    opened = await openEmptyCluster()
    client = new Client({ connectionString: opened.url })
    await client.connect()
    for (const text of SCRATCH.split(';').filter((each) => each.trim() !== '')) await client.query(text)
  })
  after(async () => {
    await client?.end()
    await opened?.close()
  })

  const tryAction = async (action: string) => {
    await client.query(`begin; set local citus.multi_shard_modify_mode = 'sequential'`)
    try {
      await client.query(`alter table scratch ${action}`)
    } finally {
      await client.query('rollback')
    }
  }
  for (const { form, example } of ACCEPTED_ACTIONS)
    if (example !== undefined) test(`${form} is accepted`, () => tryAction(example))
  for (const { form, example } of REFUSED_ACTIONS)
    if (example !== undefined) test(`${form} is refused`, () => assert.rejects(tryAction(example)))
})
