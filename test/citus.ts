import { globSync } from 'node:fs'
import { join } from 'node:path'
import { reasonOf } from '#platform/errors.ts'
import { withClusterTemplates } from './runner/cluster-databases.ts'
import { prepareRealServices } from './runner/real-services.ts'
import { newCounters, runFiles } from './runner/run-files.ts'
import { printSummary } from './runner/summary.ts'

/**
 * Runs the suites over the service and the store on a sharded PostgreSQL (Citus): the files that are named, or all of them.
 * CITUS_URL names a database of the coordinator whose pg_dist_node lists the nodes; its role may create databases on all of
 * them. Databases of an interrupted run are named tributary_test_… and tributary_template_….
 */
const root = join(import.meta.dirname, '..')
const ALL = ['test/{spec,store}/**/*.test.ts']

/** Files that say nothing about a sharded server. */
const NOT_THERE: Record<string, string> = {
  'test/store/shards-of-statements.test.ts': 'divides the tables into native partitions, instead of a sharded server',
}

const url = process.env['CITUS_URL']
if (url === undefined || url === '') {
  process.stderr.write(
    [
      'npm run test:citus did not run: CITUS_URL is not set, and there is no sharded PostgreSQL to run on.',
      'Set it to a database of the coordinator that has the extension and lists the nodes, such as',
      'CITUS_URL=postgres://postgres@127.0.0.1:5432/postgres npm run test:citus',
      '',
    ].join('\n'),
  )
  process.exit(3)
}

const counters = newCounters()
counters.skipped.push(...(await prepareRealServices('system')))
const only = process.argv.slice(2)
const files = (only.length > 0 ? only : ALL).flatMap((pattern) => globSync(pattern, { cwd: root })).sort()
const skipped = files.filter((file) => NOT_THERE[file] !== undefined)
counters.skipped.push(...skipped.map((file) => `${file}: ${NOT_THERE[file]}`))
try {
  await withClusterTemplates(url, async ({ nodes, empty, distributed }) => {
    const env = {
      TEST_DATABASE_URL: nodes[0]!,
      TEST_DATABASE_TEMPLATE: distributed,
      TEST_CLUSTER_NODES: nodes.join(' '),
      TEST_CLUSTER_EMPTY: empty,
    }
    const rest = files.filter((file) => !skipped.includes(file))
    await runFiles(
      root,
      rest.map((file) => ({ path: join(root, file), on: 'Citus', env, isAlone: true })),
      counters,
    )
  })
} catch (error) {
  counters.failed.push(`the sharded server at CITUS_URL: ${reasonOf(error)}`)
}
printSummary(counters, {
  tier: undefined,
  slowness: 1,
  spent: { processes: 0, databases: 0 },
  seconds: performance.now() / 1000,
})
