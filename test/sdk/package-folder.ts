import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

/** A folder of a user in which the packed SDK is installed, and nothing else. */
export interface UserFolder {
  folder: string
  /** The folder of the installed package. */
  installed: string
  /** The files of the packed SDK. */
  files: string[]
  write: (name: string, text: string) => string
  remove: () => void
}

/** Builds and packs the SDK and installs the archive in an empty folder. */
export async function installPackage(): Promise<UserFolder> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-sdk-'))
  const staged = join(folder, 'staged')
  const user = join(folder, 'user')
  for (const each of [staged, user]) mkdirSync(each)
  await run(process.execPath, [join(root, 'sdk/scripts/build.mjs'), staged])
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: staged,
  })
  const packed = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[] | Record<string, never>
  const [{ filename, files }] = Object.values(packed) as [{ filename: string; files: { path: string }[] }]
  writeFileSync(join(user, 'package.json'), '{ "name": "user", "private": true, "type": "module" }\n')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, filename)], { cwd: user })
  return {
    folder: user,
    installed: join(user, 'node_modules/@tributary-hub/client'),
    files: files.map(({ path }) => path),
    write: (name, text) => {
      writeFileSync(join(user, name), text)
      return join(user, name)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Checks types in the folder with TypeScript and these options; returns what it says. */
export async function typeErrors(folder: string, files: string[], options: string[]): Promise<string> {
  // With `types: node` only, as in a project for servers.
  if (options.includes('node'))
    try {
      mkdirSync(join(folder, 'node_modules/@types'), { recursive: true })
      for (const name of ['@types/node', 'undici-types'])
        symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const args = [
    compiler,
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--target',
    'es2022',
  ]
  return run(process.execPath, [...args, ...options, ...files], { cwd: folder }).then(
    () => '',
    ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}`,
  )
}
