/** The pages on which people decide what an agent may do; they call it a program. Scopes have the names of the scopes. */
export const en = {
  servicesTitle: 'A program asks for access to your data in {app}',
  servicesIntro: 'Sign in with a service that you connected to {app}. Then you decide what the program may do.',
  servicesWarning: 'Did you not start this, or did somebody else send you the link? Then close this page.',
  title: 'Let a program use your data in {app}?',
  asks: 'A program, for example an AI assistant, asks for access to your account in {app}. After your answer you return to {host}.',
  accountOf: 'It is about the account with these profiles:',
  mayRead: 'It may read',
  'items:read':
    'Search and read your posts, photos, places, messages and everything else that was read from your services',
  'people:read': 'Read the people in your contacts',
  'profiles:read': 'See which services and profiles you connected',
  'changes:read': 'Follow what is added, changed and deleted',
  mayWrite: 'It may change',
  writeAs: 'Change, post and delete as you at {service}',
  writeWarning: 'What such a program reads can mislead it. Allow changes only if the program asks you before each one.',
  allow: 'Allow',
  ends: 'The access ends when you or {app} revoke it, or 30 days after its last use.',
  warning: 'Did you not start this, or did somebody else send you the link? Then choose “No”.',
} as const
