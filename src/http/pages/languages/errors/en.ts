/** The page for a person whose request was refused. Some keys are the names of reasons. */
export const en = {
  title: 'We couldn’t finish connecting',
  notFoundTitle: 'Page not found',
  notFound: 'There is nothing at this address. Check it for typing errors.',
  programsTitle: 'This address is for programs',
  programs: 'It exists, but it cannot be opened in a browser.',
  failedTitle: 'Something went wrong here',
  failed: 'This is not your fault. Wait a moment, then reload the page.',
  faultOfApp:
    '{app} used a link that does not work. This is not your fault: go back to {app}, and tell its makers what is below.',
  faultOfUnknownApp:
    'The app that sent you here used a link that does not work. This is not your fault: go back to the app, and tell its makers what is below.',
  session_expired: 'This sign-in has ended: it was finished before, took too long, or began in another browser.',
  link_invalid: 'The link is wrong, was used, or has expired. Request a new one in the app.',
  tooMany: 'There were too many attempts. Wait a few minutes, then try again.',
  back: 'Back to {app}',
  backUnknown: 'Go back to the app you came from and try again.',
  start: 'Start page',
} as const
