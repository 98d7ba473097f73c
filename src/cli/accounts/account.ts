import { closeSync, existsSync, linkSync, openSync, rmSync, writeSync } from 'node:fs'
import { exportItems } from '#flows/read/export-items.ts'
import { listDecisions } from '#flows/read/people/decide.ts'
import { accountById } from '#identity/accounts.ts'
import { deleteWholeAccount, disconnectProfiles } from '#identity/disconnect.ts'
import { presentProfiles } from '#identity/profiles.ts'
import { reasonOf } from '#platform/errors.ts'
import { command, UsageError } from '../command.ts'
import { table } from '../output.ts'

const OWNER_ONLY = 0o600

export const exportAccount = command({
  name: 'export',
  summary: 'Export everything stored about a person: profiles and items, one JSON document per line.',
  args: ['ACCOUNT'],
  options: {
    out: { type: 'string', value: 'FILE', meaning: 'write to a new file that only you can read' },
  },
  run: async ({ args, flags, out, withServices }) => {
    const path = flags.text('out')
    if (path !== undefined && existsSync(path)) throw new UsageError(`${path} already exists.`)
    await withServices(async (deps) => {
      const account = await accountById(deps, args[0])
      const file = path === undefined ? undefined : openNew(partialPath(path))
      const write = (text: string) => (file === undefined ? out.raw(text) : writeWhole(file, text))
      // With --json and without --out everything is one document; otherwise one per line.
      const whole = out.json && file === undefined
      const profiles = await presentProfiles(deps, account, { auth: false, full: true })
      const decisions = await listDecisions(deps, account)
      const head = { account: account.id, app: account.appId, profiles, people_decisions: decisions }
      let items = 0
      write(whole ? `${JSON.stringify(head).slice(0, -1)},"items":[` : `${JSON.stringify(head)}\n`)
      for await (const batch of exportItems(deps, account)) {
        for (const item of batch) {
          write(whole ? `${items === 0 ? '' : ','}${item}` : `${item}\n`)
          items += 1
        }
        out.progress(`${items} items`)
      }
      if (whole) write(']}\n')
      if (file === undefined || path === undefined) return
      closeSync(file)
      // The file gets its name when it is complete, and never replaces another.
      reportFailure(path, () => linkSync(partialPath(path), path))
      rmSync(partialPath(path))
      out.result({ account: account.id, items, file: path }, () => [`Wrote ${items} items to ${path}.`])
    })
  },
})

export const erase = command({
  name: 'erase',
  summary: 'Erase a person or one of their profiles: items, tokens, and rows at destinations.',
  args: ['ACCOUNT'],
  options: {
    profile: { type: 'string', value: 'PROFILE', meaning: 'only this profile: id@service, or a service' },
    yes: { type: 'boolean', meaning: 'confirm that this cannot be undone' },
  },
  run: async ({ args, flags, out, withServices }) => {
    if (!flags.on('yes')) throw new UsageError('Erasing cannot be undone. Add --yes to confirm.')
    const profile = flags.text('profile')
    const done = await withServices(async (deps) => {
      const account = await accountById(deps, args[0])
      return profile === undefined
        ? (await deleteWholeAccount(deps, account, 'cli')).deleted
        : disconnectProfiles(deps, account, profile, 'cli')
    })
    out.result({ account: args[0], erased: done }, () => [
      profile === undefined ? `Erased ${args[0]}.` : 'Erased.',
      ...table([
        ['profile', 'token at the service'],
        ...done.map((each) => [each.profile, each.service_token.replace('_', ' ')]),
      ]),
    ])
  },
})

function partialPath(path: string): string {
  return `${path}.part`
}

/** Replaces what an interrupted export left behind. */
function openNew(path: string): number {
  return reportFailure(path, () => {
    rmSync(path, { force: true })
    return openSync(path, 'wx', OWNER_ONLY)
  })
}

function reportFailure<Result>(path: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${reasonOf(error)}`)
  }
}

function writeWhole(file: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
}
