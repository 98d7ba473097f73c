import { spawn } from 'node:child_process'
import { join } from 'node:path'

// The long forms: every test on every database, generated tests with eight times the cases, and the programs that take minutes
// or hours. Each runs even if one before it failed.

const root = join(import.meta.dirname, '..')

const STEPS: [name: string, script: string, args: string[], env?: Record<string, string>][] = [
  ['every test on every database', 'test/run.ts', ['--tier=nightly']],
  ['ratios of processor time', 'bench/run.ts', ['--bounds']],
  ['hostile servers', 'test/run.ts', ['test/hostile/*.test.ts'], { HOSTILE_CASES: '2000' }],
  [
    'a worker killed at every crash point',
    'test/run.ts',
    ['test/faults/push-crash-points.test.ts'],
    { CRASH_POINTS: '99' },
  ],
  ['1 GB each way through the proxy', 'test/run.ts', ['test/spec/proxy/volume.test.ts'], { PROXY_MEGABYTES: '1024' }],
  ['sync with random kills', 'test/chaos/run.ts', []],
  ['push with random kills', 'test/chaos/push.ts', []],
  ['a dozen mutants', 'test/long/mutants.ts', ['--dozen']],
  ['timing of comparisons', 'test/long/timing.ts', []],
  ['sockets', 'test/long/sockets.ts', []],
  ['speed of the dashboard', 'test/long/dashboard-speed.ts', []],
  ['memory over hours', 'test/long/soak.ts', []],
]

const failed: string[] = []
for (const [name, script, args, env = {}] of STEPS) {
  process.stdout.write(`\n== ${name}\n`)
  const startedMs = performance.now()
  const child = spawn(process.execPath, [join(root, script), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
  process.stdout.write(`== ${name}: ${code === 0 ? 'ok' : `FAILED with ${code}`} in ${seconds} s\n`)
  if (code !== 0) failed.push(name)
}
process.stdout.write(failed.length === 0 ? '\nall passed\n' : `\nFAILED: ${failed.join(', ')}\n`)
process.exitCode = failed.length === 0 ? 0 : 1
