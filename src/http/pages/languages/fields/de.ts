import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const de: TranslationOf<typeof en> = {
  handle: 'Ihr Handle',
  handleHint: 'Lassen Sie das Feld leer, wenn Sie Ihr Handle nicht kennen: Dann melden Sie sich bei bsky.social an.',
  mastodon: 'Ihr Mastodon-Server',
  mastodonHint: 'Es ist der letzte Teil Ihrer Adresse, nach dem zweiten @.',
  server: 'Adresse des Servers',
  carddavHint:
    'Zum Beispiel https://cloud.example/remote.php/dav, https://contacts.icloud.com oder https://carddav.fastmail.com.',
  caldavHint:
    'Zum Beispiel https://cloud.example/remote.php/dav, https://caldav.icloud.com oder https://caldav.fastmail.com.',
  userName: 'Benutzername',
  password: 'Passwort',
  passwordHint: 'Wenn Ihr Anbieter App-Passwörter hat, erstellen Sie eines dafür und verwenden Sie es hier.',
  feed: 'Feed oder Webseite',
  feedHint: 'RSS, Atom oder JSON Feed, zum Beispiel blog.example oder blog.example/feed.xml',
  site: 'Adresse Ihrer Website',
  siteHint:
    'Zum Beispiel https://myblog.example. Bei Websites auf wordpress.com können sich Apps nicht auf diesem Weg anmelden.',
}
