import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const de: TranslationOf<typeof en> = {
  service: 'Kalender- und Kontaktdateien',
  label: 'Datei auswählen oder hier ablegen',
  formats: 'Kalender (.ics), Kontakte (.vcf) oder ein ZIP-Archiv mit solchen Dateien. Höchstens {megabytes} MB.',
  upload: 'Hochladen und verbinden',
  where: 'Woher bekomme ich so eine Datei?',
  whereGoogle: 'Google: takeout.google.com, nur mit Kalender und Kontakten; laden Sie das ZIP-Archiv unverändert hoch.',
  whereApple: 'Apple: in Kalender „Ablage“, „Exportieren“; in Kontakte „vCard exportieren“.',
  whereOutlook: 'Outlook: den Kalender als iCalendar und die Kontakte als vCard speichern.',
  promise:
    'Termine und Kontakte der Datei werden gespeichert und mit {app} geteilt. Alles andere darin, zum Beispiel Bilder, nicht. Die Datei selbst wird nicht aufbewahrt, und später wird nichts mehr gelesen, außer Sie laden eine neue Datei hoch.',
  readOn: 'Aus einer Datei gelesen am {date} um {time}',
  waiting: 'Die Datei wird gelesen',
  endText:
    'Alles, was {app} aus Ihren Dateien gelesen hat, wird hier gelöscht. Das lässt sich nicht rückgängig machen.',
  format:
    'Diese Datei ist weder ein Kalender (.ics) noch Kontakte (.vcf) noch ein ZIP-Archiv mit solchen Dateien. Es wurde nichts gespeichert.',
  empty: 'In dieser Datei sind keine Termine und keine Kontakte. Es wurde nichts gespeichert.',
  damaged:
    'Dieses ZIP-Archiv ist beschädigt. Laden Sie es erneut herunter, oder laden Sie die Dateien darin einzeln hoch.',
  encrypted: 'Dieses ZIP-Archiv hat ein Passwort. Entpacken Sie es und laden Sie die Dateien darin hoch.',
  unsupported:
    'Diese Art von ZIP-Archiv lässt sich nicht lesen. Entpacken Sie es und laden Sie die Dateien darin hoch.',
  too_many_entries: 'Dieses ZIP-Archiv hat zu viele Dateien. Exportieren Sie nur Kalender und Kontakte.',
  too_large: 'Diese Datei ist zu groß oder wird es beim Entpacken. Höchstens {megabytes} MB können hochgeladen werden.',
  too_many: 'Diese Datei hat zu viele Termine und Kontakte. Exportieren Sie weniger Kalender auf einmal.',
  broken: 'Das Hochladen wurde unterbrochen, und es wurde nichts gespeichert. Versuchen Sie es erneut.',
  missing: 'Wählen Sie zuerst eine Datei aus.',
}
