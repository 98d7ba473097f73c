import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const es: TranslationOf<typeof en> = {
  handle: 'Su identificador',
  handleHint: 'Déjelo vacío si no lo conoce: entonces iniciará sesión en bsky.social.',
  mastodon: 'Su servidor de Mastodon',
  mastodonHint: 'Es la última parte de su dirección, después de la segunda @.',
  server: 'Dirección del servidor',
  carddavHint:
    'Por ejemplo https://cloud.example/remote.php/dav, https://contacts.icloud.com o https://carddav.fastmail.com.',
  caldavHint:
    'Por ejemplo https://cloud.example/remote.php/dav, https://caldav.icloud.com o https://caldav.fastmail.com.',
  userName: 'Nombre de usuario',
  password: 'Contraseña',
  passwordHint: 'Si su proveedor ofrece contraseñas de aplicación, cree una y úsela aquí.',
  feed: 'Feed o página web',
  feedHint: 'RSS, Atom o JSON Feed, por ejemplo blog.example o blog.example/feed.xml',
  site: 'Dirección de su sitio',
  siteHint: 'Por ejemplo https://myblog.example. Los sitios de wordpress.com no admiten aplicaciones de esta forma.',
}
