import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const fr: TranslationOf<typeof en> = {
  title: 'Nous n’avons pas pu établir la connexion',
  notFoundTitle: 'Page introuvable',
  notFound: 'Il n’y a rien à cette adresse. Vérifiez qu’elle est bien écrite.',
  programsTitle: 'Cette adresse est destinée aux programmes',
  programs: 'Elle existe, mais elle ne peut pas être ouverte dans un navigateur.',
  failedTitle: 'Un problème est survenu ici',
  failed: 'Ce n’est pas votre faute. Attendez un instant, puis rechargez la page.',
  faultOfApp:
    '{app} a utilisé un lien qui ne fonctionne pas. Ce n’est pas votre faute : revenez à {app} et transmettez à ses auteurs ce qui figure ci-dessous.',
  faultOfUnknownApp:
    'L’application qui vous a envoyé ici a utilisé un lien qui ne fonctionne pas. Ce n’est pas votre faute : revenez à l’application et transmettez à ses auteurs ce qui figure ci-dessous.',
  session_expired:
    'Cette connexion est terminée : elle était déjà achevée, a pris trop de temps ou a commencé dans un autre navigateur.',
  link_invalid: 'Le lien est erroné, a déjà servi ou a expiré. Demandez-en un nouveau dans l’application.',
  tooMany: 'Il y a eu trop de tentatives. Attendez quelques minutes, puis réessayez.',
  back: 'Retour à {app}',
  backUnknown: 'Revenez à l’application d’où vous venez et réessayez.',
  start: 'Page d’accueil',
}
