import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const pt: TranslationOf<typeof en> = {
  title: 'Não foi possível concluir a conexão',
  notFoundTitle: 'Página não encontrada',
  notFound: 'Não há nada neste endereço. Verifique se ele está escrito corretamente.',
  programsTitle: 'Este endereço é para programas',
  programs: 'Ele existe, mas não pode ser aberto em um navegador.',
  failedTitle: 'Algo deu errado aqui',
  failed: 'A culpa não é sua. Espere um momento e recarregue a página.',
  faultOfApp:
    '{app} usou um link que não funciona. A culpa não é sua: volte para {app} e informe aos desenvolvedores o que está abaixo.',
  faultOfUnknownApp:
    'O aplicativo que trouxe você aqui usou um link que não funciona. A culpa não é sua: volte para o aplicativo e informe aos desenvolvedores o que está abaixo.',
  session_expired: 'Este acesso terminou: já tinha sido concluído, demorou demais ou começou em outro navegador.',
  link_invalid: 'O link está errado, já foi usado ou expirou. Peça um novo no aplicativo.',
  tooMany: 'Houve tentativas demais. Espere alguns minutos e tente novamente.',
  back: 'Voltar para {app}',
  backUnknown: 'Volte para o aplicativo de onde você veio e tente novamente.',
  start: 'Página inicial',
}
