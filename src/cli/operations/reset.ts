import { command, UsageError } from '../command.ts'

export const reset = command({
  name: 'reset',
  summary: 'Remove the embedded database, its keys and the demo, to start over or to uninstall.',
  options: { yes: { type: 'boolean', meaning: 'confirm that this cannot be undone' } },
  run: async ({ flags, out, dataOfFolder }) => {
    const data = dataOfFolder()
    const found = await data.find()
    if (found.length > 0 && !flags.on('yes'))
      throw new UsageError(`This removes ${found.join(', ')}. It cannot be undone. Add --yes to confirm.`)
    const { removed, kept } = found.length === 0 ? { removed: [], kept: [] } : await data.remove()
    out.result({ removed, kept }, () => [
      ...(removed.length === 0 ? ['Nothing to remove.'] : removed.map((path) => `Removed ${path}`)),
      ...kept.map((path) => `Kept ${path}, which Tributary did not write.`),
    ])
  },
})
