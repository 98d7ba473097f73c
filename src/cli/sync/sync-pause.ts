import { pauseSync, resumeSync } from '#flows/sync/pause.ts'
import { profileIn } from '#flows/sync/progress.ts'
import { profileName } from '#model/accounts/profile-name.ts'
import { command } from '../command.ts'

const ACTOR = 'cli'

export const pauseProfile = controlCommand(
  'sync pause',
  'Pause the syncs of a profile; its items can still be read.',
  pauseSync,
)

export const resumeProfile = controlCommand('sync resume', 'Resume the syncs of a paused profile.', resumeSync)

function controlCommand(name: string, summary: string, control: typeof pauseSync) {
  return command({
    name,
    summary,
    args: ['ACCOUNT', 'PROFILE'],
    run: async ({ args, out, withStore, registry }) => {
      const [accountId, requested] = args
      const profile = await withStore(async (store) => {
        const found = await profileIn({ database: store.database, registry: await registry() }, accountId, requested)
        return control(store, found, ACTOR)
      })
      const view = { profile: profileName(profile), state: profile.state }
      out.result(view, () => [`${view.profile} is ${view.state}.`])
    },
  })
}
