import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PACKAGE } from '#config/program-name.ts'
import { connectorTemplate, simulatorTemplate, testTemplate, tsconfigTemplate } from './templates.ts'

/** Names that the loader accepts as services. */
export const SERVICE_NAME = /^[a-z][a-z0-9-]{0,49}$/

/** The files of a new connector that are in the way; none when it can be written. */
export function existingFiles(folder: string, name: string): string[] {
  return Object.keys(filesOf(name))
    .map((file) => join(folder, file))
    .filter((path) => existsSync(path))
}

/**
 * Writes a connector that works, with a simulator and a test. A link beside them leads to this installation, so that editors, the
 * compiler and `node --test` find `@tributary-hub/server/kit`. Returns the paths of what was written.
 */
export function scaffoldConnector(folder: string, name: string): string[] {
  mkdirSync(folder, { recursive: true })
  const written: string[] = []
  const write = (file: string, text: string) => {
    const path = join(folder, file)
    writeFileSync(path, text, { flag: 'wx' })
    written.push(path)
  }
  for (const [file, text] of Object.entries(filesOf(name))) write(file, text)
  if (!existsSync(join(folder, 'tsconfig.json'))) write('tsconfig.json', tsconfigTemplate)
  if (!existsSync(join(folder, 'package.json'))) write('package.json', '{ "private": true, "type": "module" }\n')
  const link = join(folder, 'node_modules', PACKAGE)
  if (!existsSync(link)) {
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(fileURLToPath(new URL('../../../', import.meta.url)), link, 'dir')
  }
  return written
}

function filesOf(name: string): Record<string, string> {
  return {
    [`${name}.ts`]: connectorTemplate(name),
    [`${name}.simulator.ts`]: simulatorTemplate(name),
    [`${name}.test.ts`]: testTemplate(name),
  }
}
