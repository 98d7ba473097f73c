import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { promisify } from 'node:util'
import { EXIT } from '#cli/command.ts'
import { COMMANDS } from '#cli/commands.ts'

const folder = join(import.meta.dirname, '../../deploy/systemd')
const run = promisify(execFile)
const skip = spawnSync('systemd-analyze', ['--version']).status === 0 ? false : 'systemd-analyze is missing'
/** Of 100; `systemd-analyze security` calls up to 20 well protected. */
const MAX_EXPOSURE = 20

suite('the systemd units', () => {
  for (const name of globSync('*.service', { cwd: folder })) {
    const text = readFileSync(join(folder, name), 'utf8')

    test(`${name} starts a command that exists, and does not restart after errors that need an operator`, () => {
      const [, command] = /^ExecStart=\S+\/tributary (\w+)/m.exec(text) ?? []
      assert.ok(COMMANDS.some((each) => each.name === command))
      assert.match(text, new RegExp(`^RestartPreventExitStatus=${EXIT.usage} ${EXIT.setup}$`, 'm'))
    })

    test(`${name} is accepted by systemd and well protected`, { skip }, async (t) => {
      const copy = mkdtempSync(join(tmpdir(), 'tributary-unit-'))
      t.after(() => rmSync(copy, { recursive: true }))
      const file = join(copy, name.replace('@.', '@1.'))
      // The program is not installed here.
      writeFileSync(file, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
      const { stderr } = await run('systemd-analyze', ['verify', '--man=no', file])
      assert.equal(
        stderr
          .split('\n')
          .filter((line) => line.includes(name.replace('@.', '@1.')))
          .join('\n'),
        '',
      )
      await run('systemd-analyze', ['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, file])
    })
  }
})
