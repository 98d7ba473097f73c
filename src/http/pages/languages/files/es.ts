import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const es: TranslationOf<typeof en> = {
  service: 'Archivos de calendario y contactos',
  label: 'Elige un archivo o suéltalo aquí',
  formats: 'Calendarios (.ics), contactos (.vcf) o un archivo ZIP que los contenga. Como máximo {megabytes} MB.',
  upload: 'Subir y conectar',
  where: '¿Dónde consigo un archivo así?',
  whereGoogle: 'Google: takeout.google.com, solo con Calendar y Contactos; sube el archivo ZIP tal cual.',
  whereApple: 'Apple: en Calendario, Archivo y Exportar; en Contactos, Exportar vCard.',
  whereOutlook: 'Outlook: guarda el calendario como iCalendar y los contactos como vCard.',
  promise:
    'Los eventos y contactos del archivo se guardan y se comparten con {app}. Lo demás, por ejemplo las imágenes, no. El archivo en sí no se conserva, y después no se lee nada más a menos que subas un archivo nuevo.',
  readOn: 'Leído de un archivo el {date} a las {time}',
  waiting: 'Se está leyendo el archivo',
  endText: 'Aquí se borra todo lo que {app} leyó de tus archivos. No se puede deshacer.',
  format:
    'Este archivo no es un calendario (.ics), ni contactos (.vcf), ni un archivo ZIP que los contenga. No se guardó nada.',
  empty: 'En este archivo no hay eventos ni contactos. No se guardó nada.',
  damaged: 'Este archivo ZIP está dañado. Descárgalo otra vez o sube uno a uno los archivos que contiene.',
  encrypted: 'Este archivo ZIP tiene contraseña. Descomprímelo y sube los archivos que contiene.',
  unsupported: 'Este tipo de archivo ZIP no se puede leer. Descomprímelo y sube los archivos que contiene.',
  too_many_entries: 'Este archivo ZIP tiene demasiados archivos. Exporta solo calendarios y contactos.',
  too_large: 'Este archivo es demasiado grande, o lo es al descomprimirlo. Se pueden subir como máximo {megabytes} MB.',
  too_many: 'Este archivo tiene demasiados eventos y contactos. Exporta menos calendarios a la vez.',
  broken: 'La subida se interrumpió y no se guardó nada. Inténtalo de nuevo.',
  missing: 'Primero elige un archivo.',
}
