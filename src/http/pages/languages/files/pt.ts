import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const pt: TranslationOf<typeof en> = {
  service: 'Arquivos de calendário e contatos',
  label: 'Escolha um arquivo ou solte-o aqui',
  formats: 'Calendários (.ics), contatos (.vcf) ou um arquivo ZIP com eles. No máximo {megabytes} MB.',
  upload: 'Enviar e conectar',
  where: 'Onde consigo um arquivo assim?',
  whereGoogle: 'Google: takeout.google.com, apenas com Agenda e Contatos; envie o arquivo ZIP como está.',
  whereApple: 'Apple: no Calendário, Arquivo e Exportar; nos Contatos, Exportar vCard.',
  whereOutlook: 'Outlook: salve o calendário como iCalendar e os contatos como vCard.',
  promise:
    'Os eventos e contatos do arquivo são guardados e compartilhados com {app}. O resto, por exemplo as imagens, não. O arquivo em si não é mantido, e nada mais é lido depois, a menos que você envie um novo arquivo.',
  readOn: 'Lido de um arquivo em {date} às {time}',
  waiting: 'O arquivo está sendo lido',
  endText: 'Tudo o que {app} leu dos seus arquivos é excluído daqui. Isso não pode ser desfeito.',
  format:
    'Este arquivo não é um calendário (.ics), nem contatos (.vcf), nem um arquivo ZIP com eles. Nada foi guardado.',
  empty: 'Não há eventos nem contatos neste arquivo. Nada foi guardado.',
  damaged: 'Este arquivo ZIP está danificado. Baixe-o de novo ou envie um a um os arquivos que ele contém.',
  encrypted: 'Este arquivo ZIP tem senha. Descompacte-o e envie os arquivos que ele contém.',
  unsupported: 'Este tipo de arquivo ZIP não pode ser lido. Descompacte-o e envie os arquivos que ele contém.',
  too_many_entries: 'Este arquivo ZIP tem arquivos demais. Exporte apenas calendários e contatos.',
  too_large:
    'Este arquivo é grande demais, ou fica assim ao ser descompactado. No máximo {megabytes} MB podem ser enviados.',
  too_many: 'Este arquivo tem eventos e contatos demais. Exporte menos calendários de cada vez.',
  broken: 'O envio foi interrompido e nada foi guardado. Tente de novo.',
  missing: 'Escolha primeiro um arquivo.',
}
