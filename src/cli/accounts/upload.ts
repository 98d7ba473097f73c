import { createReadStream, statSync } from 'node:fs'
import { basename } from 'node:path'
import { importFile } from '#flows/uploads/import-file.ts'
import { readUpload } from '#flows/uploads/read-upload.ts'
import { accountById } from '#identity/accounts.ts'
import { reasonOf } from '#platform/errors.ts'
import { command, UsageError } from '../command.ts'

const ACTOR = 'cli'

export const upload = command({
  name: 'upload',
  summary: 'Upload a file for an account: calendars (.ics), contacts (.vcf), or a ZIP archive with such files.',
  args: ['ACCOUNT', 'FILE'],
  options: { service: { type: 'string', value: 'SERVICE', meaning: 'a service that takes files; default: files' } },
  run: async ({ args, flags, out, withServices }) => {
    const [accountId, path] = args
    requireFile(path)
    await withServices(async (deps) => {
      const account = await accountById(deps, accountId)
      const tasks = {
        readUpload: (key: Parameters<typeof readUpload>[1], service: string) => readUpload(deps, key, service),
      }
      const file = async () => ({ name: basename(path), chunks: createReadStream(path) as AsyncIterable<Buffer> })
      const imported = await importFile({ ...deps, tasks }, account, flags.text('service') ?? 'files', ACTOR, file)
      const found = Object.entries(imported.records).map(([name, count]) => `${count} ${name}`)
      out.result(imported, () => [`${found.join(' and ')} for ${imported.profile}. The next sync stores them.`])
    })
  },
})

function requireFile(path: string): void {
  try {
    if (statSync(path).isFile()) return
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${reasonOf(error)}`)
  }
  throw new UsageError(`${path} is not a file.`)
}
