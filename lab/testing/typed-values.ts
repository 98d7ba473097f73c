import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const packages = join(root, 'test/real/sdks/node_modules')

/** Why the SDKs' types cannot be used, as a test's `skip`; false when they can. */
export const typesMissing = (): string | false =>
  existsSync(packages) ? false : 'test/real/sdks is not installed (node test/real/install.mjs sdks)'

interface TypedValue {
  /** `files.FileMetadata`, which `imports` declares. */
  type: string
  value: unknown
}

/**
 * The errors of the compiler when these values are written as literals of the vendor's types: missing, wrong and unknown
 * properties. The types are those of the vendor's client.
 */
export function typeErrors(imports: string, values: readonly TypedValue[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-types-'))
  try {
    symlinkSync(packages, join(folder, 'node_modules'))
    const lines = values.map(({ type, value }, at) => `export const value${at}: ${type} = ${JSON.stringify(value)}`)
    writeFileSync(join(folder, 'values.mts'), `${imports}\n${lines.join('\n')}\n`)
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2023', '--lib', 'es2023,dom,dom.iterable']
    const modules = ['--module', 'nodenext', '--moduleResolution', 'nodenext', '--types', 'node']
    execFileSync(join(root, 'node_modules/.bin/tsc'), [...options, ...modules, 'values.mts'], { cwd: folder })
    return ''
  } catch (error) {
    return String((error as { stdout?: Buffer }).stdout ?? error)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
