import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const es: TranslationOf<typeof en> = {
  servicesTitle: 'Un programa pide acceso a sus datos en {app}',
  servicesIntro:
    'Inicie sesión con un servicio que haya conectado a {app}. Después decidirá qué puede hacer el programa.',
  servicesWarning: '¿No ha iniciado usted esto o le ha enviado el enlace otra persona? Entonces cierre esta página.',
  title: '¿Permitir que un programa use sus datos en {app}?',
  asks: 'Un programa, por ejemplo un asistente de IA, pide acceso a su cuenta en {app}. Después de responder, volverá a {host}.',
  accountOf: 'Se trata de la cuenta con estos perfiles:',
  mayRead: 'Podrá leer',
  'items:read':
    'Buscar y leer sus publicaciones, fotos, lugares, mensajes y todo lo demás que se ha leído de sus servicios',
  'people:read': 'Leer las personas de sus contactos',
  'profiles:read': 'Ver qué servicios y perfiles ha conectado',
  'changes:read': 'Seguir lo que se añade, se cambia y se elimina',
  mayWrite: 'Podrá cambiar',
  writeAs: 'Cambiar, publicar y eliminar en su nombre en {service}',
  writeWarning:
    'Lo que lee un programa así puede inducirlo a error. Permita cambios solo si el programa le pregunta antes de cada uno.',
  allow: 'Permitir',
  ends: 'El acceso termina cuando usted o {app} lo revocan, o 30 días después del último uso.',
  warning: '¿No ha iniciado usted esto o le ha enviado el enlace otra persona? Entonces elija «No».',
}
