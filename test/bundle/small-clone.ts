import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { childEnv } from '../harness/child-env.ts'

const root = join(import.meta.dirname, '../..')

/** A clone with the real scripts and packages, and programs of a few lines in place of the service. */
export interface SmallClone {
  folder: string
  write: (file: string, text: string) => void
  /** Runs `scripts/run.mjs src/main.ts COMMAND`, as `npm start` does; returns what it printed. */
  run: (command: string, as?: { uid?: number; gid?: number }) => { out: Printed; stderr: string }
  /** Starts a build of the bundle. */
  build: () => { child: ChildProcess; ended: Promise<[number | null, NodeJS.Signals | null]> }
  /** The complete bundles. */
  bundles: () => string[]
  /** Everything in the folder of bundles. */
  inFolder: () => string[]
  remove: () => void
}

export interface Printed {
  program: string
  command: string
  own: string
  dirname: string
  url: string
  root: string
  beside: string
  kit: boolean
  worker: string
}

/** Names everything as our sources do: by the place of the module, by its URL, a file beside it, another program, the kit. */
const MAIN = `import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { KIT } from '#boot/kit-address.ts'
import * as kit from '#kit/public.ts'
const found: typeof kit = await import(KIT)
const ENTRY = join(import.meta.dirname, 'boot/worker-main.ts')
process.stdout.write(JSON.stringify({
  program: process.argv[1],
  command: process.argv[2],
  own: import.meta.filename,
  dirname: import.meta.dirname,
  url: import.meta.url,
  root: readFileSync(join(import.meta.dirname, '../root-file.txt'), 'utf8') + readFileSync(new URL('../root-file.txt', import.meta.url), 'utf8'),
  beside: readFileSync(join(import.meta.dirname, 'http/beside.txt'), 'utf8'),
  kit: found.state === kit.state,
  worker: spawnSync(process.execPath, [ENTRY], { encoding: 'utf8' }).stdout,
}))
`
const FILES = {
  'src/main.ts': MAIN,
  'src/boot/worker-main.ts': "process.stdout.write('first worker')\n",
  'src/boot/kit-address.ts': "export const KIT = new URL('../kit/public.ts', import.meta.url).href\n",
  'src/http/beside.txt': 'beside',
  'src/kit/public.ts': 'export const state = { only: true }\n',
  'lab/demo/main.ts': "process.stdout.write('demo')\n",
  'root-file.txt': 'root',
}

/** In a folder whose name has a space. */
export function smallClone(): SmallClone {
  const folder = join(mkdtempSync(join(tmpdir(), 'tributary-bundle-')), 'a clone')
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  for (const [file, text] of Object.entries(FILES)) write(file, text)
  for (const file of ['package.json', 'package-lock.json', 'web/package.json', 'web/package-lock.json'])
    cpSync(join(root, file), join(folder, file))
  for (const file of globSync('scripts/{*,bundle/*}.mjs', { cwd: root })) cpSync(join(root, file), join(folder, file))
  for (const path of ['node_modules', 'web/node_modules']) symlinkSync(join(root, path), join(folder, path))
  chmodSync(dirname(folder), 0o755)
  const inFolder = () => readdirSync(join(folder, 'bundle')).toSorted()
  return {
    folder,
    write,
    run: (command, as = {}) => {
      const args = [join(folder, 'scripts/run.mjs'), 'src/main.ts', command]
      const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: childEnv, ...as })
      return { out: JSON.parse(stdout || '{}') as Printed, stderr }
    },
    build: () => {
      const child = spawn(process.execPath, [join(folder, 'scripts/bundle/build.mjs')], {
        env: childEnv,
        stdio: 'ignore',
      })
      return { child, ended: once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]> }
    },
    bundles: () => inFolder().filter((name) => !name.startsWith('.')),
    inFolder,
    remove: () => rmSync(dirname(folder), { recursive: true, force: true }),
  }
}
