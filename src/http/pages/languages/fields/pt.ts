import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const pt: TranslationOf<typeof en> = {
  handle: 'Seu identificador',
  handleHint: 'Deixe em branco se não souber: então você entrará em bsky.social.',
  mastodon: 'Seu servidor Mastodon',
  mastodonHint: 'É a última parte do seu endereço, depois do segundo @.',
  server: 'Endereço do servidor',
  carddavHint:
    'Por exemplo https://cloud.example/remote.php/dav, https://contacts.icloud.com ou https://carddav.fastmail.com.',
  caldavHint:
    'Por exemplo https://cloud.example/remote.php/dav, https://caldav.icloud.com ou https://caldav.fastmail.com.',
  userName: 'Nome de usuário',
  password: 'Senha',
  passwordHint: 'Se o seu provedor oferece senhas de aplicativo, crie uma e use-a aqui.',
  feed: 'Feed ou página da web',
  feedHint: 'RSS, Atom ou JSON Feed, por exemplo blog.example ou blog.example/feed.xml',
  site: 'Endereço do seu site',
  siteHint: 'Por exemplo https://myblog.example. Sites em wordpress.com não permitem aplicativos dessa forma.',
}
