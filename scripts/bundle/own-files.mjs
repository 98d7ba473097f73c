import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

const BESIDE_URL = /new URL\(\s*(["'])([^"'`]+)\1,\s*import\.meta\.url,?\s*\)/g
const BESIDE_FOLDER = /join\(\s*import\.meta\.dirname,\s*(["'])([^"'`]+)\1,?\s*\)/g

/**
 * A module of ours names files by its own place. In a bundle, which is elsewhere, it names the same ones: another program is the
 * bundled one, a further file or folder of `src` is copied beside, and everything else is found from the root. `toRoot` leads there from the bundle.
 */
export function findOwnFiles(root, entries, toRoot) {
  const programs = new Map(Object.entries(entries).map(([name, file]) => [file, `${name}.js`]))
  return {
    name: 'find-own-files',
    transform(code, id) {
      if (!id.endsWith('.ts') || id.includes('/node_modules/') || !code.includes('import.meta')) return undefined
      const file = relative(root, id)
      /** From the folder of the bundle. */
      const placeOf = (name) => {
        const target = join(dirname(file), name)
        if (programs.has(target)) return programs.get(target)
        if (!target.startsWith('src/')) return `${toRoot}/${target}`
        if (!existsSync(join(root, target))) throw new Error(`${file} names ${target}, which is not there`)
        if (target.endsWith('.ts')) throw new Error(`${file} names ${target}, which is not an entry of the bundle`)
        const names = statSync(join(root, target)).isDirectory() ? readdirSync(join(root, target)) : ['']
        for (const each of names) {
          const source = readFileSync(join(root, target, each))
          this.emitFile({ type: 'asset', fileName: join(basename(target), each), source })
        }
        return basename(target)
      }
      // `OWN` is replaced at the end, so that what was written is not found again.
      const written = code
        .replaceAll(BESIDE_URL, (_, quote, name) => `new URL(${JSON.stringify(placeOf(name))}, OWN.url)`)
        .replaceAll(BESIDE_FOLDER, (_, quote, name) => `join(OWN.dirname, ${JSON.stringify(placeOf(name))})`)
        .replaceAll('import.meta.url', `new URL(${JSON.stringify(`${toRoot}/${file}`)}, OWN.url).href`)
        .replaceAll('import.meta.dirname', `\`\${OWN.dirname}/${toRoot}/${dirname(file)}\``)
        .replaceAll('import.meta.filename', `\`\${OWN.dirname}/${toRoot}/${file}\``)
        .replaceAll('OWN.', 'import.meta.')
      return { code: written, map: null }
    },
  }
}
