import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ApiError } from '#model/errors.ts'
import { SetupError } from '#platform/errors.ts'
import { type Context, EXIT, InterruptedError } from './command.ts'
import { COMMANDS } from './commands.ts'
import { runCli } from './run.ts'

/** Runs in this process; a command that gets as far as its work meets `work`. */
async function run(args: readonly string[], work: () => unknown = () => assert.fail('nothing may be opened')) {
  let stdout = ''
  let stderr = ''
  const terminal = {
    stdout: (text: string) => {
      stdout += text
    },
    stderr: (text: string) => {
      stderr += text
    },
    fancy: false,
  }
  const context = { withStore: async () => work(), doctor: work, start: async () => work() }
  const prepare = () => context as unknown as Omit<Context, 'args' | 'optionalArg' | 'flags' | 'out'>
  const code = await runCli({ version: '1.2.3', terminal, prepare }, [...args])
  return { code, stdout, stderr }
}

suite('what is typed wrong', () => {
  for (const [what, args, told] of [
    ['an unknown command', ['fly'], /Unknown command “fly”/],
    ['an unknown word after a known one', ['app', 'fly'], /app create, app list/],
    ['half a command', ['keys'], /keys set/],
    ['an unknown flag', ['app', 'list', '--loud'], /--loud/],
    ['a flag without its value', ['serve', '--port'], /--port/],
    ['a missing argument', ['app', 'show'], /CLIENT_ID is missing/],
    ['a second missing argument', ['keys', 'set', 'app_x', '--key', 'k', '--secret', 's'], /SERVICE is missing/],
    ['a missing flag', ['app', 'create', '--name', 'x'], /--redirect-uri is missing/],
    ['one argument too many', ['app', 'show', 'a', 'b'], /Unexpected argument “b”/],
    ['a malformed pair', ['keys', 'set', 'a', 'b', '--key', 'k', '--secret', 's', '--set', 'x'], /NAME=URL/],
    ['a malformed number', ['app', 'rotate-secret', 'a', '--overlap-hours', 'ten'], /--overlap-hours/],
    ['a deletion without a yes', ['app', 'delete', 'a'], /--yes/],
  ] as const) {
    test(`${what}: exit code 2, what is wrong, and how it is right`, async () => {
      const { code, stdout, stderr } = await run(args)
      assert.equal(code, 2, stderr)
      assert.equal(stdout, '')
      assert.match(stderr, told)
      assert.match(stderr, /Usage: tributary |tributary --help/)
      const json = await run([...args, '--json'])
      assert.equal(json.code, 2)
      assert.equal((JSON.parse(json.stdout) as { reason: string }).reason, 'usage')
    })
  }
})

suite('what goes wrong', () => {
  const list = ['app', 'list']
  const throwing = (error: unknown) => () => {
    throw error
  }

  test('in the set-up: exit code 3, what and what helps', async () => {
    const error = new SetupError('The disk is full.', { code: 'disk_full', help: 'Free some space.' })
    assert.deepEqual(await run(list, throwing(error)), {
      code: 3,
      stdout: '',
      stderr: 'The disk is full.\nFree some space.\n',
    })
    const { code, stdout, stderr } = await run([...list, '--json'], throwing(error))
    assert.deepEqual([code, stderr], [3, ''])
    assert.deepEqual(JSON.parse(stdout), { error: 'The disk is full.', reason: 'disk_full', help: 'Free some space.' })
  })

  test('by refusal: exit code 4 and the reason', async () => {
    const { code, stdout } = await run([...list, '--json'], throwing(new ApiError('not_found')))
    assert.deepEqual([code, (JSON.parse(stdout) as { reason: string }).reason], [4, 'not_found'])
  })

  test('by interruption: exit code 130', async () => {
    assert.equal((await run(list, throwing(new InterruptedError('x')))).code, EXIT.interrupted)
  })

  test('by a fault of ours: exit code 1, the whole story, and no secret', async () => {
    const { code, stderr } = await run(list, throwing(new Error('connect postgres://u:c4nary@h/d failed')))
    assert.equal(code, 1)
    assert.match(stderr, /connect postgres:.*\n\s+at /)
    assert.doesNotMatch(stderr, /c4nary/)
  })
})

suite('help', () => {
  test('lists every command and every exit code, whichever way it is asked for', async () => {
    for (const { code, stdout } of await Promise.all([run([]), run(['help']), run(['--help']), run(['-h'])])) {
      assert.equal(code, 0)
      for (const { name } of COMMANDS) assert.ok(stdout.includes(`  ${name}`), name)
      for (const exit of Object.values(EXIT)) assert.match(stdout, new RegExp(`Exit codes:.*\\b${exit} `))
    }
  })

  for (const command of COMMANDS) {
    test(`of ${command.name} names its options and opens nothing`, async () => {
      const { code, stdout } = await run([...command.name.split(' '), '--help'])
      assert.equal(code, 0)
      const options = [...Object.keys(command.options ?? {}), 'data', 'json', 'help']
      for (const option of options) assert.ok(stdout.includes(`--${option}`), option)
      assert.ok(stdout.includes(`Usage: tributary ${[command.name, ...(command.args ?? [])].join(' ')}`))
    })
  }

  test('tells the version', async () => {
    assert.equal((await run(['--version'])).stdout, '1.2.3\n')
    assert.deepEqual(JSON.parse((await run(['version', '--json'])).stdout), { version: '1.2.3' })
  })
})
