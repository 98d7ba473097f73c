import { globSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')

/**
 * The files of a release, without the built pages: what the last stage of the Dockerfile copies from here, without what .dockerignore excludes. test/release-files.txt is generated
 * from this, so that an accidental file shows up as a change.
 */
export function releaseFiles(): string[] {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
  const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
  const copied = [...lastStage.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources]) => sources!.split(' '))
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => /^[\w*]+\//.test(line))
  return copied
    .flatMap((source) =>
      lstatSync(join(root, source)).isDirectory()
        ? globSync(`${source}/**`, { cwd: root, exclude: ignored })
        : [source],
    )
    .filter((file) => !lstatSync(join(root, file)).isDirectory())
    .toSorted()
}
