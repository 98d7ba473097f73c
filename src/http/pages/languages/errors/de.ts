import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const de: TranslationOf<typeof en> = {
  title: 'Wir konnten die Verbindung nicht herstellen',
  notFoundTitle: 'Seite nicht gefunden',
  notFound: 'Unter dieser Adresse gibt es nichts. Prüfen Sie, ob sie richtig geschrieben ist.',
  programsTitle: 'Diese Adresse ist für Programme',
  programs: 'Es gibt sie, aber sie kann nicht im Browser geöffnet werden.',
  failedTitle: 'Hier ist etwas schiefgegangen',
  failed: 'Das liegt nicht an Ihnen. Warten Sie einen Moment und laden Sie die Seite neu.',
  faultOfApp:
    '{app} hat einen Link verwendet, der nicht funktioniert. Das liegt nicht an Ihnen: Gehen Sie zurück zu {app} und geben Sie dort die Angaben von unten weiter.',
  faultOfUnknownApp:
    'Die App, von der Sie kommen, hat einen Link verwendet, der nicht funktioniert. Das liegt nicht an Ihnen: Gehen Sie zurück zur App und geben Sie dort die Angaben von unten weiter.',
  session_expired:
    'Diese Anmeldung ist beendet: Sie war bereits abgeschlossen, hat zu lange gedauert oder wurde in einem anderen Browser begonnen.',
  link_invalid: 'Der Link ist falsch, wurde benutzt oder ist abgelaufen. Fordern Sie in der App einen neuen an.',
  tooMany: 'Es gab zu viele Versuche. Warten Sie einige Minuten und versuchen Sie es dann noch einmal.',
  back: 'Zurück zu {app}',
  backUnknown: 'Gehen Sie zurück zu der App, von der Sie kommen, und versuchen Sie es noch einmal.',
  start: 'Startseite',
}
