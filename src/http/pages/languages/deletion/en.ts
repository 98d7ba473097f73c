/** The page that shows how far a deletion is that a person requested at a service. */
export const en = {
  waitingTitle: 'Your data is being deleted',
  asked: 'The deletion was requested at {service} on {date}.',
  copies: 'It is deleted here. Copies that were delivered to the app are still being deleted.',
  deletedTitle: 'Your data is deleted',
  deleted: 'Everything that was stored about your {service} profile was deleted on {date}.',
  nothingTitle: 'Nothing is stored',
  nothing: 'Nothing was stored about your {service} profile.',
  unknownTitle: 'Unknown confirmation code',
  unknown: 'There is no deletion with this code, or it was finished more than 90 days ago.',
  code: 'Confirmation code:',
} as const
