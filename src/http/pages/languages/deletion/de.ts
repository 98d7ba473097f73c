import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const de: TranslationOf<typeof en> = {
  waitingTitle: 'Ihre Daten werden gelöscht',
  asked: 'Die Löschung wurde am {date} bei {service} beantragt.',
  copies: 'Hier sind sie bereits gelöscht. Kopien, die an die App geliefert wurden, werden noch gelöscht.',
  deletedTitle: 'Ihre Daten sind gelöscht',
  deleted: 'Alles, was über Ihr {service}-Profil gespeichert war, wurde am {date} gelöscht.',
  nothingTitle: 'Es ist nichts gespeichert',
  nothing: 'Über Ihr {service}-Profil war nichts gespeichert.',
  unknownTitle: 'Unbekannter Bestätigungscode',
  unknown: 'Zu diesem Code gibt es keine Löschung, oder sie wurde vor mehr als 90 Tagen abgeschlossen.',
  code: 'Bestätigungscode:',
}
