import { createConnectionsLink } from '#flows/connect/connections-session.ts'
import { accountById } from '#identity/accounts.ts'
import { command } from '../command.ts'

export const link = command({
  name: 'connections link',
  summary: 'Create a link by which a person sees and ends their connections; it works once, for ten minutes.',
  args: ['ACCOUNT'],
  options: {
    'redirect-uri': {
      type: 'string',
      value: 'URL',
      meaning: 'an address of the app; the page leads back to its host (the first one)',
    },
    locale: { type: 'string', value: 'LANGUAGE', meaning: "en, de, fr, es, pt, ja or ar (the browser's)" },
  },
  run: async ({ args, flags, out, withServices }) => {
    const made = await withServices(async (deps) =>
      createConnectionsLink(
        deps,
        await accountById(deps, args[0]),
        { redirectUri: flags.text('redirect-uri'), language: flags.text('locale') },
        'cli',
      ),
    )
    out.result(made, () => [
      made.url,
      `Give it to the person of this account only. It works once, until ${new Date(made.expires_at).toISOString()}.`,
    ])
  },
})
