import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const ar: TranslationOf<typeof en> = {
  waitingTitle: 'يجري حذف بياناتك',
  asked: 'طُلب الحذف لدى {service} في {date}.',
  copies: 'حُذفت البيانات من هنا. وما زال يجري حذف النسخ التي سُلّمت إلى التطبيق.',
  deletedTitle: 'تم حذف بياناتك',
  deleted: 'حُذف في {date} كل ما كان محفوظًا عن ملفك الشخصي في {service}.',
  nothingTitle: 'لا توجد بيانات محفوظة',
  nothing: 'لم يكن هناك شيء محفوظ عن ملفك الشخصي في {service}.',
  unknownTitle: 'رمز تأكيد غير معروف',
  unknown: 'لا توجد عملية حذف بهذا الرمز، أو أنها اكتملت قبل أكثر من 90 يومًا.',
  code: 'رمز التأكيد:',
}
