import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const pt: TranslationOf<typeof en> = {
  servicesTitle: 'Um programa pede acesso aos seus dados em {app}',
  servicesIntro: 'Entre com um serviço que você conectou a {app}. Depois você decide o que o programa pode fazer.',
  servicesWarning: 'Não foi você quem começou isto, ou outra pessoa enviou o link? Então feche esta página.',
  title: 'Permitir que um programa use os seus dados em {app}?',
  asks: 'Um programa, por exemplo um assistente de IA, pede acesso à sua conta em {app}. Depois de responder, você voltará para {host}.',
  accountOf: 'Trata-se da conta com estes perfis:',
  mayRead: 'Ele poderá ler',
  'items:read':
    'Pesquisar e ler suas publicações, fotos, lugares, mensagens e tudo o mais que foi lido dos seus serviços',
  'people:read': 'Ler as pessoas dos seus contatos',
  'profiles:read': 'Ver quais serviços e perfis você conectou',
  'changes:read': 'Acompanhar o que é adicionado, alterado e excluído',
  mayWrite: 'Ele poderá alterar',
  writeAs: 'Alterar, publicar e excluir em seu nome em {service}',
  writeWarning:
    'O que um programa assim lê pode induzi-lo a erro. Permita alterações somente se ele perguntar a você antes de cada uma.',
  allow: 'Permitir',
  ends: 'O acesso termina quando você ou {app} o revogam, ou 30 dias depois do último uso.',
  warning: 'Não foi você quem começou isto, ou outra pessoa enviou o link? Então escolha “Não”.',
}
