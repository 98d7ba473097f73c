import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const pt: TranslationOf<typeof en> = {
  waitingTitle: 'Seus dados estão sendo excluídos',
  asked: 'A exclusão foi solicitada em {service} em {date}.',
  copies: 'Aqui eles já foram excluídos. As cópias entregues ao aplicativo ainda estão sendo excluídas.',
  deletedTitle: 'Seus dados foram excluídos',
  deleted: 'Tudo o que estava guardado sobre o seu perfil em {service} foi excluído em {date}.',
  nothingTitle: 'Não há nada guardado',
  nothing: 'Não havia nada guardado sobre o seu perfil em {service}.',
  unknownTitle: 'Código de confirmação desconhecido',
  unknown: 'Não há nenhuma exclusão com este código, ou ela terminou há mais de 90 dias.',
  code: 'Código de confirmação:',
}
