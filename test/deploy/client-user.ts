import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Somebody's app, in a folder of its own with a package cache of its own. */
export interface ClientUser {
  /** Runs npm there; returns its code and what it said. */
  npm: (...args: string[]) => Promise<{ code: number; said: string }>
  /** Evaluates an expression with the installed client, which is `client`. */
  evaluate: (expression: string) => Promise<string>
  lock: () => { integrity: string; resolved: string }
  remove: () => void
}

export function createClientUser(): ClientUser {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-client-user-'))
  const app = join(folder, 'app')
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }\n')
  const run = (file: string, args: string[]) =>
    new Promise<{ code: number; said: string }>((resolve) => {
      execFile(file, args, { cwd: app }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), said: `${stdout}${stderr}` }),
      )
    })
  return {
    npm: (...args) =>
      run('npm', [`--cache=${join(folder, 'cache')}`, '--no-audit', '--no-fund', '--fetch-retries=0', ...args]),
    evaluate: async (expression) => {
      const program = `import * as client from '@tributary-hub/client'; console.log(${expression})`
      return (await run(process.execPath, ['--input-type=module', '--eval', program])).said.trim()
    },
    lock: () => {
      const { packages } = JSON.parse(readFileSync(join(app, 'package-lock.json'), 'utf8')) as {
        packages: Record<string, { integrity: string; resolved: string }>
      }
      return packages['node_modules/@tributary-hub/client']!
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
