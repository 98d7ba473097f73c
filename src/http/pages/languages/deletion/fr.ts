import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const fr: TranslationOf<typeof en> = {
  waitingTitle: 'Vos données sont en cours de suppression',
  asked: 'La suppression a été demandée auprès de {service} le {date}.',
  copies: 'Elles sont déjà supprimées ici. Les copies transmises à l’application sont en cours de suppression.',
  deletedTitle: 'Vos données sont supprimées',
  deleted: 'Tout ce qui était enregistré sur votre profil {service} a été supprimé le {date}.',
  nothingTitle: 'Rien n’est enregistré',
  nothing: 'Rien n’était enregistré sur votre profil {service}.',
  unknownTitle: 'Code de confirmation inconnu',
  unknown: 'Aucune suppression ne correspond à ce code, ou elle est terminée depuis plus de 90 jours.',
  code: 'Code de confirmation :',
}
