import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { childEnv } from '../harness/child-env.ts'
import { send } from '../harness/send.ts'
import { packagesMissing } from '../real/packages.ts'
import { type SdkHarness, startSdkHarness } from '../spec/proxy/sdks/fixture.ts'

const root = join(import.meta.dirname, '../..')

suite('the example vendor-sdk', { skip: await packagesMissing('sdks') }, () => {
  let harness: SdkHarness<'github'>
  let folder: string
  let token: string
  let own: string
  before(async () => {
    harness = await startSdkHarness(['github'])
    folder = mkdtempSync(join(tmpdir(), 'tributary-example-'))
    cpSync(join(root, 'examples/vendor-sdk'), folder, { recursive: true })
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(join(root, 'test/real/sdks/node_modules/octokit'), join(folder, 'node_modules/octokit'))
    ;({ token, own } = await harness.signIn('github', { scope: 'repo' }))
  })
  after(async () => {
    await harness?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const run = (args: string[], given = token) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const env = { ...childEnv, TRIBUTARY_URL: harness.tributary.url, TOKEN: given }
      execFile(process.execPath, ['issues.js', ...args], { cwd: folder, env }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : 1, stdout, stderr }),
      )
    })

  test('lists every page, opens an issue that the next listing and the next sync have', async () => {
    const before = await run([])
    assert.equal(before.code, 0, before.stderr)
    const lines = before.stdout.trim().split('\n')
    assert.ok(lines.length > 11, 'more than a page')
    assert.equal(lines.at(-1), `${lines.length - 1} issues`)
    const [, repository] = /^(\S+)#\d+ /.exec(lines.find((line) => line.startsWith('ada/')) ?? '') ?? []
    assert.ok(repository, before.stdout)
    const opened = await run([repository, 'Opened by the example'])
    const [, number] = /^opened \S+#(\d+)\n$/.exec(opened.stdout) ?? []
    assert.ok(number, opened.stderr)
    const later = await run([])
    assert.ok(later.stdout.includes(`${repository}#${number} Opened by the example\n`), later.stdout)
    const title = (data: Record<string, unknown>) => data['title'] === 'Opened by the example'
    await harness.readBack('github', 'issues', own, title)
    harness.assertNothingLeft()
  })

  test('tells what GitHub refused and what Tributary refused', async () => {
    const missing = await run(['ada/nothing', 'Title'])
    assert.deepEqual([missing.code, missing.stdout], [1, ''])
    assert.match(missing.stderr, /^404 github: Not Found/)
    const stranger = await run([], 'trt_unknown')
    assert.match(stranger.stderr, /^401 token_invalid: /)
    assert.equal((await send(harness, 'DELETE', '/profiles/github', { token: own })).status, 200)
    const gone = await run([])
    assert.match(gone.stderr, /^404 no_profile: /)
    harness.assertNothingLeft()
  })
})
