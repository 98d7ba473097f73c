import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const es: TranslationOf<typeof en> = {
  waitingTitle: 'Sus datos se están eliminando',
  asked: 'La eliminación se solicitó en {service} el {date}.',
  copies: 'Aquí ya están eliminados. Las copias que se entregaron a la aplicación todavía se están eliminando.',
  deletedTitle: 'Sus datos se han eliminado',
  deleted: 'Todo lo que estaba guardado sobre su perfil de {service} se eliminó el {date}.',
  nothingTitle: 'No hay nada guardado',
  nothing: 'No había nada guardado sobre su perfil de {service}.',
  unknownTitle: 'Código de confirmación desconocido',
  unknown: 'No hay ninguna eliminación con este código, o terminó hace más de 90 días.',
  code: 'Código de confirmación:',
}
