import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { systemClock } from '#platform/clock.ts'
import { type Database, openDatabase, statement } from '#platform/postgres/database.ts'
import { startEngine } from '#platform/queue/engine.ts'
import { readQueueDepths } from '#platform/queue/jobs.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { type JobEngine, type JobWakeUp, QUEUE_NAMES, QUEUES } from '#store/queues.ts'
import { type CuttableLine, cuttableLine } from '../../harness/database/cuttable-line.ts'
import { preparedDatabase } from '../../harness/database/database.ts'
import { until } from '../../harness/until.ts'
import { quiet } from '../../store/opened.ts'

/** What Tributary requires of its job engine. Dead workers are tested in the chaos suite. */
suite('the job engine', () => {
  let database: Awaited<ReturnType<typeof preparedDatabase>>
  let line: CuttableLine
  let looker: Database
  const engines: JobEngine[] = []
  const lines: string[] = []
  const log = createLog({ level: 'warn', format: 'json', clock: systemClock, write: (line) => lines.push(line) })
  const open = async () => {
    const engine = await startEngine({ queues: QUEUES, url: line.url, log })
    engines.push(engine)
    return engine
  }
  const wakeUp = (key: string) => ({ key, data: { shard: 7, profileId: key } })
  const delivery = (key: string) => ({ key, data: { destinationId: key, appId: 'app', isFailing: false, runs: 1 } })
  /** Every job of the queue has ended, successfully or not. */
  const isEmpty = async (name: string) => {
    const depth = (await readQueueDepths(looker, QUEUE_NAMES)).find(({ queue }) => queue === name)!
    return depth.ready + depth.active === 0
  }

  before(async () => {
    database = await preparedDatabase()
    line = await cuttableLine(database.url)
    looker = openDatabase({ url: database.url, pool: 2, prepared: true, log: quiet })
  })
  after(async () => {
    for (const engine of engines) await engine.stop(0)
    await looker.close()
    await line.close()
    await database.drop()
  })

  test('a key is queued once, waiting or running; a refused one may be queued again later, and others never wait for it', async () => {
    const [one, two] = [await open(), await open()]
    const runs = new Map<string, number>()
    const running = new Set<string>()
    let overlaps = 0
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const run = async ({ key, data }: JobWakeUp<'sync'>) => {
      assert.deepEqual(data, { shard: 7, profileId: key })
      if (running.has(key)) overlaps += 1
      running.add(key)
      runs.set(key, (runs.get(key) ?? 0) + 1)
      if (key.startsWith('key')) await released
      running.delete(key)
    }
    const keys = Array.from({ length: 12 }, (_, i) => `key-${i}`)
    assert.deepEqual(await one.wake('sync', keys.map(wakeUp)), [])
    assert.deepEqual(await two.wake('sync', [...keys, 'other-0'].map(wakeUp)), keys)
    assert.equal(await one.waiting('sync', 1000), 13)
    assert.equal(await one.waiting('sync', 5), 5)
    await one.work('sync', run)
    await two.work('sync', run)
    await until('all keys run', () => running.size === 12)
    assert.deepEqual((await one.wake('sync', keys.map(wakeUp))).sort(), [...keys].sort())
    await two.wake('sync', [wakeUp('other-1')])
    await until('another key runs while these are at work', () => runs.has('other-1'))
    release()
    await until('all ended', () => running.size === 0)
    const again = new Set(keys)
    await until('each is accepted again', async () => {
      const refused = new Set(await one.wake('sync', [...again].map(wakeUp)))
      for (const key of again) if (!refused.has(key)) again.delete(key)
      return again.size === 0
    })
    await until('each runs once more', () => keys.every((key) => runs.get(key) === 2))
    assert.equal(overlaps, 0)
    await until('nothing is left', () => isEmpty('sync'))
  })

  test('a slow job delays no other: its neighbours end and run again, and the other slots continue', async () => {
    const engine = await open()
    const runs = new Map<string, number>()
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow = Array.from({ length: QUEUES.deliver.slots - 1 }, (_, i) => `slow-${i}`)
    const quick = Array.from({ length: 60 }, (_, i) => `quick-${i}`)
    // Mixed, so that a worker that fetches several at once gets both.
    const mixed = quick.flatMap((key, i) => [key, ...slow.slice(i, i + 1)])
    await engine.wake('deliver', mixed.map(delivery))
    await engine.work('deliver', async ({ key }) => {
      runs.set(key, (runs.get(key) ?? 0) + 1)
      if (key.startsWith('slow')) await released
    })
    await until('all quick ones run beside the slow ones', () => quick.every((key) => runs.has(key)))
    await until(
      'a quick one is taken again',
      async () => (await engine.wake('deliver', [delivery('quick-0')])).length === 0,
    )
    await until('and runs again', () => runs.get('quick-0') === 2)
    assert.ok(slow.every((key) => runs.get(key) === 1))
    release()
    await until('nothing is left', () => isEmpty('deliver'))
    await engine.stop(1000)
  })

  test('a process that stops aborts its jobs, and others run them', async () => {
    const [leaving, staying] = [await open(), await open()]
    const runs: string[] = []
    const wasTold: boolean[] = []
    await leaving.work('deliver', async (_, signal) => {
      runs.push('leaving')
      // It ignores the signal.
      await new Promise(() => signal.addEventListener('abort', () => wasTold.push(true)))
    })
    await leaving.wake('deliver', [delivery('long')])
    await until('it is at work', () => runs.length === 1)
    await leaving.stop(100)
    assert.deepEqual(wasTold, [true])
    await staying.work('deliver', async () => {
      runs.push('staying')
    })
    await until('another runs it', () => runs.length === 2)
    assert.deepEqual(runs, ['leaving', 'staying'])
    await staying.stop(1000)
  })

  test('one bad job fails alone and is retried a few times; a lost database connection only delays', async () => {
    const engine = engines[0]!
    const tries = new Map<string, number>()
    await (await open()).work('deliver', async ({ key }) => {
      tries.set(key, (tries.get(key) ?? 0) + 1)
      if (key === 'bad') throw new Error('a bug')
    })
    await engine.wake('deliver', ['a', 'bad', 'b'].map(delivery))
    await until('the bad one is tried four times', () => tries.get('bad') === 4)
    await until('it is given up', () => isEmpty('deliver'))
    assert.deepEqual(Object.fromEntries(tries), { a: 1, bad: 4, b: 1 })

    await line.cut()
    await assert.rejects(engine.wake('deliver', [delivery('during')]))
    const before = lines.length
    await until('workers meet the loss', () =>
      lines.slice(before).some((each) => each.includes('fetching jobs failed')),
    )
    await line.mend()
    await engine.wake('deliver', [delivery('after')])
    await until('the same workers continue', () => tries.get('after') === 1)
  })

  test('a process fetches the jobs that it queues itself at once, also one that is queued during a fetch', async () => {
    for (const other of engines.splice(0)) await other.stop(0)
    // It would look for jobs of others long after the test.
    const engine = await startEngine({ queues: QUEUES, url: line.url, log, pollMs: 3_600_000 })
    engines.push(engine)
    const run: string[] = []
    await engine.work('sync', async ({ key }) => {
      run.push(key)
    })
    for (let i = 0; i < 5; i += 1) {
      await Promise.all([engine.wake('sync', [wakeUp(`now-${i}`)]), engine.wake('sync', [wakeUp(`also-${i}`)])])
      await until('both ran', () => run.length === 2 * (i + 1))
    }
    await engine.stop(1000)
  })

  test('a job that cannot be read is never run: it is logged, stored and counted once, and its key is free', async () => {
    const lines: string[] = []
    const log = createLog({
      level: 'error',
      format: 'json',
      clock: { now: () => 0 },
      write: (line) => lines.push(line),
    })
    // No other engine may take the jobs.
    for (const other of engines.splice(0)) await other.stop(0)
    const engine = await startEngine({ queues: QUEUES, url: line.url, log })
    engines.push(engine)
    const broken: [string, unknown][] = [
      ['no-profile', { key: 'no-profile', shard: 7 }],
      ['no-number', { key: 'no-number', shard: '7', profileId: 'p' }],
      ['no-object', 'undefined'],
      ['nothing', null],
    ]
    await engine.wake('sync', [...broken.map(([key]) => wakeUp(key)), wakeUp('whole')])
    const write = statement('test-break-job', 'update engine.job set data = $2::jsonb where singleton_key = $1')
    for (const [key, data] of broken) await looker.count(write, [key, JSON.stringify(data)])
    const run: unknown[] = []
    await engine.work('sync', async ({ data }) => {
      run.push(data)
    })
    const depth = async () => (await readQueueDepths(looker, QUEUE_NAMES)).find(({ queue }) => queue === 'sync')!
    await until('each is taken off the queue', () => isEmpty('sync'))
    assert.deepEqual(run, [{ shard: 7, profileId: 'whole' }])
    assert.equal((await depth()).deadLetters, broken.length)
    const logged = lines.map((each): { message: string; error: string } => JSON.parse(each))
    const why = logged.filter(({ message }) => message.includes('dead letter')).map(({ error }) => error)
    assert.deepEqual(why.sort(), [
      'Fields missing or invalid in the payload: profileId',
      'Fields missing or invalid in the payload: shard',
      'Fields missing or invalid in the payload: shard, profileId',
      'Fields missing or invalid in the payload: shard, profileId',
    ])
    const deadLetters = statement('test-dead-letters', `select data from engine.job where name = 'dead_letter'`)
    const letters = (await looker.rows<{ data: { job: unknown } }>(deadLetters)).map(({ data }) => data.job)
    assert.deepEqual(
      letters.map((job) => JSON.stringify(job)).sort(),
      broken.map(([, job]) => JSON.stringify(job)).sort(),
    )
    // As if the process had died after it stored the dead letter and before it completed the job.
    const revive = statement(
      'test-revive-job',
      `update engine.job set state = 'retry', completed_on = null where name = 'sync' and singleton_key = $1`,
    )
    assert.equal(await looker.count(revive, ['nothing']), 1)
    await until('it is taken again', () => isEmpty('sync'))
    assert.equal((await depth()).deadLetters, broken.length)
    await until('its key is taken again', async () => (await engine.wake('sync', [wakeUp('no-profile')])).length === 0)
    await until('and runs', () => run.length === 2)
    await engine.stop(1000)
  })
})
