import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const de: TranslationOf<typeof en> = {
  servicesTitle: 'Ein Programm möchte auf Ihre Daten in {app} zugreifen',
  servicesIntro:
    'Melden Sie sich mit einem Dienst an, den Sie mit {app} verbunden haben. Danach entscheiden Sie, was das Programm darf.',
  servicesWarning:
    'Sie haben das nicht veranlasst, oder jemand anderes hat Ihnen den Link geschickt? Dann schließen Sie diese Seite.',
  title: 'Darf ein Programm Ihre Daten in {app} verwenden?',
  asks: 'Ein Programm, zum Beispiel ein KI-Assistent, bittet um Zugriff auf Ihr Konto bei {app}. Nach Ihrer Antwort kehren Sie zu {host} zurück.',
  accountOf: 'Es geht um das Konto mit diesen Profilen:',
  mayRead: 'Es darf lesen',
  'items:read':
    'Ihre Beiträge, Fotos, Orte, Nachrichten und alles andere durchsuchen und lesen, was aus Ihren Diensten eingelesen wurde',
  'people:read': 'Die Personen in Ihren Kontakten lesen',
  'profiles:read': 'Sehen, welche Dienste und Profile Sie verbunden haben',
  'changes:read': 'Verfolgen, was hinzukommt, geändert und gelöscht wird',
  mayWrite: 'Es darf ändern',
  writeAs: 'In Ihrem Namen bei {service} ändern, veröffentlichen und löschen',
  writeWarning:
    'Was ein solches Programm liest, kann es in die Irre führen. Erlauben Sie Änderungen nur, wenn das Programm Sie vor jeder einzelnen fragt.',
  allow: 'Erlauben',
  ends: 'Der Zugriff endet, wenn Sie oder {app} ihn widerrufen, oder 30 Tage nach der letzten Nutzung.',
  warning: 'Sie haben das nicht veranlasst, oder jemand anderes hat Ihnen den Link geschickt? Dann wählen Sie „Nein“.',
}
