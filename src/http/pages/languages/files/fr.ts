import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const fr: TranslationOf<typeof en> = {
  service: 'Fichiers de calendrier et de contacts',
  label: 'Choisissez un fichier ou déposez-le ici',
  formats:
    'Calendriers (.ics), contacts (.vcf) ou une archive ZIP contenant de tels fichiers. {megabytes} Mo au maximum.',
  upload: 'Envoyer et connecter',
  where: 'Où trouver un tel fichier ?',
  whereGoogle: 'Google : takeout.google.com, avec Agenda et Contacts seulement ; envoyez l’archive ZIP telle quelle.',
  whereApple: 'Apple : dans Calendrier, Fichier puis Exporter ; dans Contacts, Exporter la vCard.',
  whereOutlook: 'Outlook : enregistrez le calendrier au format iCalendar et les contacts au format vCard.',
  promise:
    'Les événements et contacts du fichier sont enregistrés et partagés avec {app}. Le reste, par exemple les images, ne l’est pas. Le fichier lui-même n’est pas conservé, et rien n’est relu ensuite à moins que vous n’envoyiez un nouveau fichier.',
  readOn: 'Lu dans un fichier le {date} à {time}',
  waiting: 'Le fichier est en cours de lecture',
  endText: 'Tout ce que {app} a lu dans vos fichiers est supprimé ici. Cette action est irréversible.',
  format:
    'Ce fichier n’est ni un calendrier (.ics), ni des contacts (.vcf), ni une archive ZIP contenant de tels fichiers. Rien n’a été enregistré.',
  empty: 'Ce fichier ne contient ni événement ni contact. Rien n’a été enregistré.',
  damaged: 'Cette archive ZIP est endommagée. Téléchargez-la de nouveau, ou envoyez ses fichiers un par un.',
  encrypted: 'Cette archive ZIP est protégée par un mot de passe. Décompressez-la et envoyez ses fichiers.',
  unsupported: 'Ce type d’archive ZIP ne peut pas être lu. Décompressez-la et envoyez ses fichiers.',
  too_many_entries: 'Cette archive ZIP contient trop de fichiers. Exportez seulement les calendriers et les contacts.',
  too_large:
    'Ce fichier est trop grand, ou le devient une fois décompressé. {megabytes} Mo au maximum peuvent être envoyés.',
  too_many: 'Ce fichier contient trop d’événements et de contacts. Exportez moins de calendriers à la fois.',
  broken: 'L’envoi a été interrompu et rien n’a été enregistré. Réessayez.',
  missing: 'Choisissez d’abord un fichier.',
}
