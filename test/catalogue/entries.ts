import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesOf } from '#boot/catalogue.ts'
import type { Entry } from '#kit/entry/entry-schema.ts'

/** The files of the catalogue of this release. */
export const ENTRY_FILES = filesOf(join(import.meta.dirname, '../../src/catalogue/entries'))

/** All entries, by service. */
export const ENTRIES: ReadonlyMap<string, Entry> = new Map(
  ENTRY_FILES.flatMap((path) =>
    Object.entries((JSON.parse(readFileSync(path, 'utf8')) as { services: Record<string, Entry> }).services),
  ),
)
