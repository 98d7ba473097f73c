import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const fr: TranslationOf<typeof en> = {
  handle: 'Votre identifiant',
  handleHint: 'Laissez ce champ vide si vous ne le connaissez pas : vous vous connecterez alors sur bsky.social.',
  mastodon: 'Votre serveur Mastodon',
  mastodonHint: 'C’est la dernière partie de votre adresse, après le second @.',
  server: 'Adresse du serveur',
  carddavHint:
    'Par exemple https://cloud.example/remote.php/dav, https://contacts.icloud.com ou https://carddav.fastmail.com.',
  caldavHint:
    'Par exemple https://cloud.example/remote.php/dav, https://caldav.icloud.com ou https://caldav.fastmail.com.',
  userName: 'Nom d’utilisateur',
  password: 'Mot de passe',
  passwordHint: 'Si votre fournisseur propose des mots de passe d’application, créez-en un et utilisez-le ici.',
  feed: 'Flux ou page web',
  feedHint: 'RSS, Atom ou JSON Feed, par exemple blog.example ou blog.example/feed.xml',
  site: 'Adresse de votre site',
  siteHint:
    'Par exemple https://myblog.example. Les sites hébergés sur wordpress.com n’autorisent pas les applications de cette manière.',
}
