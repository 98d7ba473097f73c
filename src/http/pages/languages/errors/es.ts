import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const es: TranslationOf<typeof en> = {
  title: 'No hemos podido completar la conexión',
  notFoundTitle: 'Página no encontrada',
  notFound: 'No hay nada en esta dirección. Compruebe que esté bien escrita.',
  programsTitle: 'Esta dirección es para programas',
  programs: 'Existe, pero no se puede abrir en un navegador.',
  failedTitle: 'Algo ha salido mal aquí',
  failed: 'No es culpa suya. Espere un momento y vuelva a cargar la página.',
  faultOfApp:
    '{app} ha usado un enlace que no funciona. No es culpa suya: vuelva a {app} y comunique a sus autores lo que aparece abajo.',
  faultOfUnknownApp:
    'La aplicación de la que viene ha usado un enlace que no funciona. No es culpa suya: vuelva a la aplicación y comunique a sus autores lo que aparece abajo.',
  session_expired:
    'Este inicio de sesión ha terminado: ya se había completado, ha tardado demasiado o empezó en otro navegador.',
  link_invalid: 'El enlace es incorrecto, ya se ha usado o ha caducado. Pida uno nuevo en la aplicación.',
  tooMany: 'Ha habido demasiados intentos. Espere unos minutos e inténtelo de nuevo.',
  back: 'Volver a {app}',
  backUnknown: 'Vuelva a la aplicación de la que viene e inténtelo de nuevo.',
  start: 'Página de inicio',
}
