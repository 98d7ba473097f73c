import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning } from '../build-lock.mjs'

/** What a bundle is built from. */
const SOURCES = ['src', 'lab', 'scripts/bundle']
const SETTINGS = ['package.json', 'package-lock.json', 'web/package-lock.json']
/** The file with which a process marks the bundle that it runs. */
const MARK = 'used-by-'

/** The folder of the bundle for the sources as they are, built or not: its name is their hash. */
export function bundleFolder(root) {
  const hash = createHash('sha256')
  for (const file of [...SETTINGS, ...SOURCES.flatMap((folder) => filesIn(root, folder))])
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0')
  return join(root, 'bundle', hash.digest('hex').slice(0, 16))
}

/** The bundle for the sources as they are; undefined when it is not built. It was renamed when complete. */
export function currentBundle(root) {
  const folder = bundleFolder(root)
  return existsSync(folder) ? folder : undefined
}

/** Keeps a bundle while this process runs: it loads parts of it later, and starts workers from it. */
export function markUsed(folder) {
  try {
    for (const mark of marksIn(folder)) if (!isMarkOfRunning(mark)) rmSync(join(folder, mark), { force: true })
    writeFileSync(join(folder, `${MARK}${process.pid}`), '')
  } catch {
    // Another user's folder, who then keeps the newest bundle beside the one in use.
  }
}

/** Whether a running process has marked a bundle. */
export function isUsed(folder) {
  return marksIn(folder).some(isMarkOfRunning)
}

const marksIn = (folder) => readdirSync(folder).filter((file) => file.startsWith(MARK))
const isMarkOfRunning = (mark) => isRunning(Number(mark.slice(MARK.length)))

function filesIn(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) return filesIn(root, path)
      return /\.md$|\.test\.ts$/.test(path) ? [] : [path]
    })
}
