import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { type LabHarness, startLabHarness } from '../harness/lab.ts'
import { signIn } from '../harness/sign-in.ts'
import { synced } from '../harness/sync.ts'

const deploy = join(import.meta.dirname, '../../deploy')

/** Names of our metrics, and of the process, in a query. */
function metricsIn(query: string): string[] {
  return [...query.matchAll(/\b(?:tributary|process|nodejs)_\w+/g)].map(([name]) => name)
}

suite('the dashboard and the alert rules', () => {
  let harness: LabHarness
  let exported: string
  let names: Set<string>
  before(async () => {
    harness = await startLabHarness()
    const ada = await signIn(harness, 'demo-social', 'ada', { flag: 'dm' })
    await synced(harness, ada.access_token, 'demo-social')
    exported = await (await fetch(`${harness.tributary.url}/metrics`)).text()
    names = new Set(
      [...exported.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name!],
      ),
    )
  })
  after(() => harness.stop())

  test('name only metrics that the service exports', () => {
    const dashboard = JSON.parse(readFileSync(join(deploy, 'grafana/tributary.json'), 'utf8')) as {
      panels: { title: string; targets?: { expr: string }[] }[]
    }
    const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    assert.ok(queries.length > 20)
    for (const query of queries) assert.ok(metricsIn(query).length > 0, query)
    const alerts = metricsIn(readFileSync(join(deploy, 'prometheus/alerts.yaml'), 'utf8'))
    assert.ok(alerts.length > 5)
    const unknown = [...queries.flatMap(metricsIn), ...alerts].filter((name) => !names.has(name))
    assert.deepEqual(unknown, [])
  })

  test('show labels that the metrics have', () => {
    const { panels } = JSON.parse(readFileSync(join(deploy, 'grafana/tributary.json'), 'utf8')) as {
      panels: { targets?: { expr: string; legendFormat: string }[] }[]
    }
    for (const { expr, legendFormat } of panels.flatMap(({ targets = [] }) => targets)) {
      const labels = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!)
      const [, kept = ''] = /\bby \(([^)]*)\)/.exec(expr) ?? []
      const available = [...kept.split(/,\s*/), ...(kept === '' ? ['instance'] : [])]
      assert.deepEqual(
        labels.filter((label) => !available.includes(label)),
        [],
        expr,
      )
    }
  })

  test('profiles are counted by service and state', () => {
    assert.match(exported, /^tributary_profiles\{service="demo-social",state="active"\} 1$/m)
    assert.match(exported, /^# TYPE tributary_failing_endpoints gauge$/m)
  })

  test('promtool accepts the alert rules', {
    skip: existsSync('/usr/bin/promtool') ? false : 'promtool is missing',
  }, () => {
    execFileSync('promtool', ['check', 'rules', join(deploy, 'prometheus/alerts.yaml')])
  })
})
