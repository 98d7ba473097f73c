import { fold } from '../items/words.ts'

/**
 * Local parts of e-mail addresses that name a role and not a person, in several languages. Accents, dots, hyphens, underlines and what
 * follows a plus are left out before they are compared.
 */
export const ROLE_ADDRESSES: readonly string[] = [
  // Machines.
  'noreply donotreply noresponse nepasrepondre noresponda naoresponda nichtantworten keineantwort mailer mailerdaemon postmaster',
  'hostmaster webmaster root admin administrator sysadmin daemon abuse bounce bounces notification notifications notify alert alerts',
  'newsletter news updates digest list lists robot bot system test',
  // Desks.
  'info information informacion informacoes informazioni kontakt contact contacto contato contatto contacts hello hi hallo hola bonjour',
  'office buero buro bureau oficina escritorio ufficio kantoor mail email post mailbox inbox team staff crew group gruppe equipe equipo',
  'reception empfang recepcion recepcao accueil secretary sekretariat secretariat secretaria secretariado segreteria zentrale central',
  // Departments.
  'support help helpdesk hilfe ayuda ajuda aide assistance service services servicio servicos kundenservice customerservice customercare',
  'kundendienst atencion suporte soporte supporto sales vertrieb verkauf ventas vendas ventes vendite shop store orders order bestellung',
  'pedidos commande commandes booking bookings reservation reservations reservas reservierung marketing presse press prensa imprensa media',
  'pr jobs job career careers karriere bewerbung recruiting recruitment empleo emploi rrhh hr personal personnel people billing invoice',
  'invoices rechnung rechnungen buchhaltung accounting accounts factura facturas facturacion facture compta comptabilite contabilidad',
  'finance legal privacy datenschutz dpo security compliance it tech technik dev events event veranstaltungen feedback membership',
  'members mitglieder verein vorstand board club school schule escuela escola ecole kita praxis practice clinic kanzlei',
  // Households.
  'family familie familia famille famiglia home',
].flatMap((line) => line.split(' '))

const ROLES = new Set(ROLE_ADDRESSES)
const SEPARATORS = /[._-]/g

/** Whether an e-mail address is that of a role (`info@`, `no-reply@`), which tells nothing about who writes or reads there. */
export function isRoleAddress(email: string): boolean {
  const local = email.slice(0, email.indexOf('@'))
  const [name = ''] = local.split('+', 1)
  return ROLES.has(fold(name).replaceAll(SEPARATORS, ''))
}
