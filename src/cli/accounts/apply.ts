import { readFileSync } from 'node:fs'
import { applyBatch } from '#flows/apply/apply-batch.ts'
import { batchEntry, readEntries } from '#flows/apply/apply-entries.ts'
import { getApp } from '#flows/apps/apps.ts'
import { reasonOf } from '#platform/errors.ts'
import { command, UsageError } from '../command.ts'

/** Entries that are applied before their results are printed. */
const CHUNK = 100

export const apply = command({
  name: 'apply',
  summary: 'Attach profiles with tokens that an app already has, from a file with one JSON document per line.',
  args: ['CLIENT_ID', 'FILE'],
  run: async ({ args, out, withServices }) => {
    const [clientId, path] = args
    // Tokens are in a file: arguments are visible to others on the machine.
    const entries = readEntries(linesOf(path).map((line, index) => entryOf(line, index)))
    await withServices(async (deps) => {
      const { app } = await getApp(deps, clientId)
      let [applied, failed] = [0, 0]
      const document: Record<string, unknown> = {}
      for (let from = 0; from < entries.length; from += CHUNK) {
        const results = await applyBatch(deps, app, entries.slice(from, from + CHUNK))
        for (const [id, result] of Object.entries(results)) {
          if ('error' in result) failed += 1
          else applied += 1
          if (out.json) document[id] = result
          else out.raw(`${JSON.stringify({ id, ...result })}\n`)
        }
        out.progress(`${applied + failed} of ${entries.length}`)
      }
      if (out.json) out.result(document, () => [])
      else
        out.note(
          `Applied ${applied}, failed ${failed}. Run it again to retry: what was applied by a refresh token is found again.`,
        )
    })
  },
})

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '')
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${reasonOf(error)}`)
  }
}

function entryOf(line: string, index: number) {
  try {
    return batchEntry.parse(JSON.parse(line))
  } catch {
    // The error would repeat the line, which contains tokens.
    throw new UsageError(`Line ${index + 1} is not {"id": "<your id>", "<service>": {"token", …}}.`)
  }
}
