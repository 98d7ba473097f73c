import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const es: TranslationOf<typeof en> = {
  service: 'Archivos de calendario y contactos',
  label: 'Elija un archivo o suéltelo aquí',
  formats: 'Calendarios (.ics), contactos (.vcf) o un archivo ZIP que los contenga. Como máximo {megabytes} MB.',
  upload: 'Subir y conectar',
  where: '¿Dónde consigo un archivo así?',
  whereGoogle: 'Google: takeout.google.com, solo con Calendar y Contactos; suba el archivo ZIP tal cual.',
  whereApple: 'Apple: en Calendario, Archivo y Exportar; en Contactos, Exportar vCard.',
  whereOutlook: 'Outlook: guarde el calendario como iCalendar y los contactos como vCard.',
  promise:
    'Los eventos y contactos del archivo se guardan y se comparten con {app}. Lo demás, por ejemplo las imágenes, no. El archivo en sí no se conserva, y después no se lee nada más a menos que suba un archivo nuevo.',
  readOn: 'Leído de un archivo el {date} a las {time}',
  waiting: 'Se está leyendo el archivo',
  endText: 'Todo lo que {app} ha leído de sus archivos se elimina aquí. Esto no se puede deshacer.',
  format:
    'Este archivo no es un calendario (.ics), ni contactos (.vcf), ni un archivo ZIP que los contenga. No se ha guardado nada.',
  empty: 'En este archivo no hay eventos ni contactos. No se ha guardado nada.',
  damaged: 'Este archivo ZIP está dañado. Descárguelo otra vez o suba uno a uno los archivos que contiene.',
  encrypted: 'Este archivo ZIP tiene contraseña. Descomprímalo y suba los archivos que contiene.',
  unsupported: 'Este tipo de archivo ZIP no se puede leer. Descomprímalo y suba los archivos que contiene.',
  too_many_entries: 'Este archivo ZIP tiene demasiados archivos. Exporte solo calendarios y contactos.',
  too_large: 'Este archivo es demasiado grande, o lo es al descomprimirlo. Se pueden subir como máximo {megabytes} MB.',
  too_many: 'Este archivo tiene demasiados eventos y contactos. Exporte menos calendarios a la vez.',
  broken: 'La subida se ha interrumpido y no se ha guardado nada. Inténtelo de nuevo.',
  missing: 'Primero elija un archivo.',
}
