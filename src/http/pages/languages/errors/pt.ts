import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const pt: TranslationOf<typeof en> = {
  title: 'Não foi possível concluir a ligação',
  notFoundTitle: 'Página não encontrada',
  notFound: 'Não há nada neste endereço. Verifique se está bem escrito.',
  programsTitle: 'Este endereço é para programas',
  programs: 'Existe, mas não pode ser aberto num navegador.',
  failedTitle: 'Algo correu mal aqui',
  failed: 'A culpa não é sua. Espere um momento e recarregue a página.',
  faultOfApp:
    '{app} usou uma hiperligação que não funciona. A culpa não é sua: volte a {app} e transmita aos autores o que está abaixo.',
  faultOfUnknownApp:
    'A aplicação que o trouxe aqui usou uma hiperligação que não funciona. A culpa não é sua: volte à aplicação e transmita aos autores o que está abaixo.',
  session_expired:
    'Este início de sessão terminou: já estava concluído, demorou demasiado ou começou noutro navegador.',
  link_invalid: 'A hiperligação está errada, já foi usada ou expirou. Peça uma nova na aplicação.',
  tooMany: 'Houve demasiadas tentativas. Espere alguns minutos e tente novamente.',
  back: 'Voltar a {app}',
  backUnknown: 'Volte à aplicação de onde veio e tente novamente.',
  start: 'Página inicial',
}
