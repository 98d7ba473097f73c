import type { UnreadableValue } from '#flows/operations/keyring.ts'
import { pruneKeyring, rotateKeyring } from '#flows/operations/keyring.ts'
import { command } from '../command.ts'
import { table } from '../output.ts'

export const rotate = command({
  name: 'keyring rotate',
  summary: 'Seal everything with a new key, while the service runs.',
  run: async ({ out, withStore }) => {
    const done = await withStore((store) => rotateKeyring(store, (count) => out.progress(`${count} values resealed …`)))
    out.result({ new_key: done.newKey, resealed: done.resealed, damaged: done.unreadable }, () => [
      done.newKey ? 'Created a new key.' : 'Continued with the newest key.',
      `Sealed ${done.resealed} values with it. Back up the key file.`,
      ...printUnreadable(done.unreadable),
      'When every process has read the new key (about a minute), drop the old keys: tributary keyring prune',
    ])
  },
})

export const prune = command({
  name: 'keyring prune',
  summary: 'Drop the keys that no sealed value needs any more.',
  options: { 'at-once': { type: 'boolean', meaning: 'do not wait until running processes have read the new key' } },
  run: async ({ flags, out, withStore }) => {
    const { dropped, unreadable } = await withStore((store) => pruneKeyring(store, { atOnce: flags.on('at-once') }))
    out.result({ dropped, unreadable: unreadable.length }, () => [
      dropped === 0 ? 'There is no old key.' : `Dropped ${dropped} old ${dropped === 1 ? 'key' : 'keys'}.`,
      ...printUnreadable(unreadable),
    ])
  },
})

function printUnreadable(values: readonly UnreadableValue[]): string[] {
  if (values.length === 0) return []
  return [
    `${values.length} ${values.length === 1 ? 'value' : 'values'} cannot be opened with any key; left unchanged:`,
    ...table(values.map(({ table: name, row, reason }) => [name, row, reason])),
    'People whose credential is damaged have to sign in again; keys and destinations have to be set again.',
  ]
}
