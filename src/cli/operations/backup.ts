import { existsSync, linkSync, readFileSync, rmSync, statSync } from 'node:fs'
import type { Config } from '#config/config.ts'
import { keyFilePath, openKeyFile, parseKeys, readKeyFile, writeKeyFile } from '#config/key-file.ts'
import { checkBackup, createBackup, loadBackup } from '#flows/operations/backup.ts'
import { recordBackup, recordVerification } from '#flows/operations/last-backup.ts'
import { reasonOf } from '#platform/errors.ts'
import { command, EXIT, type Flags, type Option, UsageError } from '../command.ts'

/** Limit: least characters of a passphrase that protects the keys in a backup; a shorter one is refused. */
const MIN_PASSPHRASE_CHARS = 12

const PASSPHRASE: Record<string, Option> = {
  'passphrase-file': { type: 'string', value: 'FILE', meaning: 'file with the passphrase of the keys in the backup' },
}

export const create = command({
  name: 'backup create',
  summary: 'Write one moment of the whole database to a file, while the service runs.',
  args: ['FILE'],
  options: {
    'passphrase-file': {
      type: 'string',
      value: 'FILE',
      meaning: 'also include the sealing keys, encrypted with the passphrase in this file',
    },
    verify: { type: 'boolean', meaning: 'read the file again and check it before it gets its name' },
  },
  run: async ({ args, flags, out, config, version, withStore }) => {
    const [path] = args
    if (existsSync(path)) throw new UsageError(`${path} already exists.`)
    const passphrase = passphraseOf(flags)
    const partial = `${path}.part`
    rmSync(partial, { force: true })
    const included = passphrase !== undefined
    const made = await withStore(
      async (store) => {
        const keys = keysOf(config())
        const { tables, createdAt } = await createBackup(store, partial, { version, keys: keys ?? [], passphrase })
        const checked = flags.on('verify') ? await checkBackup(partial, keys, passphrase) : undefined
        // The file gets its name when it is complete, and never replaces another.
        linkSync(partial, path)
        rmSync(partial)
        const { size: bytes } = statSync(path)
        const isVerified = checked !== undefined && checked.opens !== false
        const backup = { createdAt, bytes, tables, keysIncluded: included, isVerified }
        return { ...backup, opens: checked?.opens, refusal: await tried(recordBackup(store, backup)) }
      },
      { migrate: false },
    )
    const { bytes, tables, isVerified, refusal } = made
    const recorded = refusal === undefined
    out.result({ file: path, bytes, tables, keys: included, verified: isVerified, recorded }, () => [
      `Wrote ${tables} tables to ${path} (${bytes} bytes).`,
      ...(isVerified ? ['Read it again: it is intact.'] : []),
      ...(made.opens === false ? ['Its sealed values do NOT open with the keys here.'] : []),
      ...(recorded ? [] : [`The dashboard does not show it, because it could not be recorded: ${refusal}`]),
      included
        ? 'The sealing keys are in it, encrypted with the passphrase. Keep the passphrase elsewhere.'
        : `Not in it: the sealing keys (${config().key === undefined ? keyFilePath(config().dataDir) : 'TRIBUTARY_KEY'}). Without them it cannot be used; keep them elsewhere.`,
      'Not in it: settings, the admin token, jobs (they are created again).',
    ])
    return made.opens === false ? EXIT.refused : EXIT.ok
  },
})

export const restore = command({
  name: 'backup restore',
  summary: 'Load a backup into an empty database.',
  args: ['FILE'],
  options: {
    ...PASSPHRASE,
    force: { type: 'boolean', meaning: 'replace everything in the database; stop every process first' },
  },
  run: async ({ args, flags, out, config, withStore }) => {
    const passphrase = passphraseOf(flags)
    const { key, dataDir } = config()
    const done = await withStore(
      (store) =>
        loadBackup(store, args[0], {
          force: flags.on('force'),
          keys: keysOf(config()) ?? [],
          // Keys that are given by the environment must be the right ones already.
          passphrase: key === undefined ? passphrase : undefined,
          useKeys: (keys) => addKeys(dataDir, keys),
        }),
      { migrate: false },
    )
    out.result({ restored: args[0], created_at: done.header.created_at, tables: done.tables }, () => [
      `Restored ${done.tables} tables as of ${new Date(done.header.created_at).toISOString()}.`,
      'Do not let the old installation run beside it: both would renew the same tokens.',
    ])
  },
})

export const verify = command({
  name: 'backup verify',
  summary: 'Check a backup without a database: complete, unchanged, and readable with the keys of this data folder.',
  args: ['FILE'],
  options: {
    ...PASSPHRASE,
    record: { type: 'boolean', meaning: 'also open the database of this installation, and record it there' },
  },
  run: async ({ args, flags, out, config, withStore }) => {
    const found = await checkBackup(args[0], keysOf(config()), passphraseOf(flags))
    const { header, opens } = found
    const recorded = flags.on('record') && opens !== false
    if (recorded) await withStore((store) => recordVerification(store, header.created_at), { migrate: false })
    const opening = {
      true: 'They open with these keys.',
      false: 'They do NOT open with these keys.',
      undefined: 'No key here to try.',
    }
    out.result(
      {
        intact: true,
        version: header.version,
        created_at: header.created_at,
        tables: found.tables,
        schema: header.migrations.at(-1)?.name,
        keys_included: header.keys !== undefined,
        keys_open: opens,
        recorded,
      },
      () => [
        `Intact: ${found.tables} tables as of ${new Date(header.created_at).toISOString()}, written by ${header.version}.`,
        `Sealed values: ${opening[`${opens}`]}`,
        `Sealing keys ${header.keys === undefined ? 'are not' : 'are'} in it.`,
      ],
    )
    return opens === false ? EXIT.refused : EXIT.ok
  },
})

/** Undefined when it worked, else why not. The file is complete, so the command succeeds: the database may be a copy for reading. */
async function tried(work: Promise<void>): Promise<string | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    return reasonOf(error)
  }
}

function keysOf({ key, dataDir }: Config): Buffer[] | undefined {
  return key === undefined ? readKeyFile(keyFilePath(dataDir))?.keys : parseKeys(key)
}

/** The keys of the backup seal from now on. The others stay, so that an interrupted restore loses nothing. */
function addKeys(dataDir: string, keys: Buffer[]): void {
  const current = openKeyFile(dataDir)
  const others = current.keys.filter((each) => !keys.some((key) => key.equals(each)))
  writeKeyFile(keyFilePath(dataDir), { ...current, keys: [...keys, ...others] })
}

function passphraseOf(flags: Flags): string | undefined {
  const file = flags.text('passphrase-file')
  if (file === undefined) return undefined
  let passphrase: string
  try {
    passphrase = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${reasonOf(error)}`)
  }
  if (passphrase.length < MIN_PASSPHRASE_CHARS)
    throw new UsageError(`The passphrase in ${file} has fewer than ${MIN_PASSPHRASE_CHARS} characters.`)
  return passphrase
}
