import type { Check } from './list.ts'

/** Who vouches for an id, where codes go, and which addresses may be called. */
export const IDENTITY_CHECKS: readonly Check[] = [
  {
    id: 'S61',
    check: 'A link names the server to sign in at, also in spellings that look like another one',
    passes: 'the person sees the server as it was understood; nothing is sent to it before they continue',
  },
  {
    id: 'S62',
    check: 'The redirect addresses of two instances, two apps, two base addresses; sign-ins of an older release',
    passes: 'each has its own; credentials keep the key they were issued for; old sign-ins are refused',
  },
  {
    id: 'S63',
    check:
      'A hostile instance sends the person on to an honest one, with its client and the state of the sign-in (mix-up)',
    passes: 'the code goes nowhere; the state is used up; audit entry',
  },
  {
    id: 'S64',
    check: 'The same with a key that has other addresses, and with a key whose addresses change during the sign-in',
    passes: 'no code reaches the other addresses',
  },
  {
    id: 'S65',
    check: "A site's page for app passwords sends the person to the page of another site",
    passes: 'the password is not used, unless it is of the site that was named',
  },
  {
    id: 'S66',
    check: 'Two browsers give the same public values at every connector whose ids nobody vouches for',
    passes: 'they never share an account; the migration loses no item',
  },
  {
    id: 'S67',
    check: 'Every connector between an honest and a hostile counterpart that answers and redirects as it likes',
    passes: 'no byte that the hostile one receives is a code, token or secret of another',
  },
  {
    id: 'S68',
    check: 'A developer sets the addresses of a service (`overrides`), or replaces a key that has some',
    passes: 'refused with the reason; those of the operator stay',
  },
  {
    id: 'S69',
    check: 'Servers that people name in a private network that the operator opened for keys and destinations',
    passes: 'never called; open and closed ports look the same',
  },
  {
    id: 'S70',
    check: 'A demo that others can reach: its controls, its own machine',
    passes: 'controls are off whatever `Host` says; nothing on loopback is called for others',
  },
]
