import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const es: TranslationOf<typeof en> = {
  title: 'No pudimos completar la conexión',
  notFoundTitle: 'Página no encontrada',
  notFound: 'No hay nada en esta dirección. Comprueba que esté bien escrita.',
  programsTitle: 'Esta dirección es para programas',
  programs: 'Existe, pero no se puede abrir en un navegador.',
  failedTitle: 'Algo salió mal aquí',
  failed: 'No es culpa tuya. Espera un momento y vuelve a cargar la página.',
  faultOfApp:
    '{app} usó un enlace que no funciona. No es culpa tuya: vuelve a {app} y cuéntales a sus autores lo que aparece abajo.',
  faultOfUnknownApp:
    'La aplicación que te envió aquí usó un enlace que no funciona. No es culpa tuya: vuelve a la aplicación y cuéntales a sus autores lo que aparece abajo.',
  session_expired: 'Este inicio de sesión ha terminado: ya se completó, tardó demasiado o empezó en otro navegador.',
  link_invalid: 'El enlace es incorrecto, ya se usó o ha caducado. Pide uno nuevo en la aplicación.',
  tooMany: 'Hubo demasiados intentos. Espera unos minutos e inténtalo de nuevo.',
  back: 'Volver a {app}',
  backUnknown: 'Vuelve a la aplicación de la que vienes e inténtalo de nuevo.',
  start: 'Página de inicio',
}
