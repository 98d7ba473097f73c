import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const fr: TranslationOf<typeof en> = {
  servicesTitle: 'Un programme demande l’accès à vos données dans {app}',
  servicesIntro:
    'Connectez-vous avec un service que vous avez relié à {app}. Vous déciderez ensuite de ce que le programme peut faire.',
  servicesWarning:
    'Vous n’êtes pas à l’origine de cette demande, ou quelqu’un d’autre vous a envoyé le lien ? Dans ce cas, fermez cette page.',
  title: 'Autoriser un programme à utiliser vos données dans {app} ?',
  asks: 'Un programme, par exemple un assistant IA, demande l’accès à votre compte dans {app}. Après votre réponse, vous reviendrez à {host}.',
  accountOf: 'Il s’agit du compte qui contient ces profils :',
  mayRead: 'Il pourra lire',
  'items:read':
    'Rechercher et lire vos publications, photos, lieux, messages et tout ce qui a été lu dans vos services',
  'people:read': 'Lire les personnes de vos contacts',
  'profiles:read': 'Voir quels services et profils vous avez connectés',
  'changes:read': 'Suivre ce qui est ajouté, modifié et supprimé',
  mayWrite: 'Il pourra modifier',
  writeAs: 'Modifier, publier et supprimer en votre nom sur {service}',
  writeWarning:
    'Ce qu’un tel programme lit peut l’induire en erreur. N’autorisez les modifications que s’il vous demande votre accord avant chacune d’elles.',
  allow: 'Autoriser',
  ends: 'L’accès prend fin lorsque vous ou {app} le révoquez, ou 30 jours après la dernière utilisation.',
  warning:
    'Vous n’êtes pas à l’origine de cette demande, ou quelqu’un d’autre vous a envoyé le lien ? Choisissez alors « Non ».',
}
