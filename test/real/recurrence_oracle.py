"""Generates repeated events as calendar objects, and computes their occurrences with dateutil and icalendar."""

import datetime as datetime_module
import json
import random
import sys
from datetime import date, datetime, timedelta, timezone
from itertools import islice, takewhile
from types import SimpleNamespace

import dateutil.rrule
from dateutil import tz
from dateutil.rrule import rrulestr
from icalendar import Calendar
from icalendar.windows_to_olson import WINDOWS_TO_OLSON

SEED, COUNT, FROM, TO = int(sys.argv[1]), int(sys.argv[2]), *map(int, sys.argv[3:5])
LIMIT = 1000
# dateutil looks for the next time of a rule that has none until the last year that there is.
dateutil.rrule.datetime = SimpleNamespace(
    **{**vars(datetime_module), 'MAXYEAR': datetime.fromtimestamp(TO / 1000, timezone.utc).year + 1})
rnd = random.Random(SEED)
UTC = timezone.utc
DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
IANA = ['Europe/Berlin', 'America/New_York', 'Australia/Sydney', 'Asia/Kolkata', 'America/Sao_Paulo', 'Africa/Nairobi',
        'Pacific/Auckland', 'America/St_Johns', 'Europe/London', 'Asia/Tokyo', 'America/Los_Angeles']
# Of today's rules, so that the names mean the same in both tables.
WINDOWS = ['W. Europe Standard Time', 'Eastern Standard Time', 'AUS Eastern Standard Time', 'India Standard Time',
           'New Zealand Standard Time', 'GMT Standard Time', 'Central Standard Time', 'Tokyo Standard Time']
DESCRIBED = [
    ('North', '+0100', '+0200', '19700329T020000', 'FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
     '19701025T030000', 'FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU'),
    ('West', '-0500', '-0400', '20070311T020000', 'FREQ=YEARLY;BYMONTH=3;BYDAY=2SU',
     '20071104T020000', 'FREQ=YEARLY;BYMONTH=11;BYDAY=1SU'),
    ('South', '+1000', '+1100', '20081005T020000', 'FREQ=YEARLY;BYMONTH=10;BYDAY=1SU',
     '20080406T030000', 'FREQ=YEARLY;BYMONTH=4;BYDAY=1SU'),
]


def described(name, standard, daylight, begins, rule, ends, back):
    return ['BEGIN:VTIMEZONE', f'TZID:{name}',
            'BEGIN:STANDARD', f'DTSTART:{ends}', f'RRULE:{back}', f'TZOFFSETFROM:{daylight}', f'TZOFFSETTO:{standard}',
            'TZNAME:S', 'END:STANDARD',
            'BEGIN:DAYLIGHT', f'DTSTART:{begins}', f'RRULE:{rule}', f'TZOFFSETFROM:{standard}', f'TZOFFSETTO:{daylight}',
            'TZNAME:D', 'END:DAYLIGHT', 'END:VTIMEZONE']


def some(values, least, most):
    return sorted(rnd.sample(values, rnd.randint(least, min(most, len(values)))))


def joined(values):
    return ','.join(map(str, values))


def make_rule(kind, start, is_fine):
    frequency = rnd.choice(['HOURLY', 'MINUTELY'] if is_fine else ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY'])
    parts = {'FREQ': frequency}
    is_long = frequency in ('YEARLY', 'MONTHLY')
    if rnd.random() < .4:
        parts['INTERVAL'] = rnd.randint(2, 6)
    if rnd.random() < .25:
        parts['BYMONTH'] = joined(some(list(range(1, 13)), 1, 4))
    if is_long and rnd.random() < .3:
        parts['BYMONTHDAY'] = joined(some([*range(1, 32), *range(-5, 0)], 1, 4))
    if frequency == 'YEARLY' and rnd.random() < .1:
        parts['BYYEARDAY'] = joined(some([*range(1, 367), *range(-20, 0)], 1, 4))
    if frequency == 'YEARLY' and rnd.random() < .12:
        parts['BYWEEKNO'] = joined(some([*range(1, 54), -1, -2], 1, 3))
    if rnd.random() < .4:
        days = rnd.sample(DAYS, rnd.randint(1, 3))
        if is_long and 'BYWEEKNO' not in parts and rnd.random() < .5:
            days = [str(rnd.choice([1, 2, 3, 4, 5, -1, -2])) + day for day in days]
        parts['BYDAY'] = joined(days)
    if kind != 'day':
        if rnd.random() < .12:
            parts['BYHOUR'] = joined(some(list(range(24)), 1, 3))
        if rnd.random() < .08:
            parts['BYMINUTE'] = joined(some(list(range(60)), 1, 2))
    if any(name.startswith('BY') for name in parts) and rnd.random() < .2:
        parts['BYSETPOS'] = joined(some([1, 2, 3, -1, -2], 1, 2))
    if rnd.random() < .3:
        parts['WKST'] = rnd.choice(DAYS)
    end = rnd.random()
    if end < .25:
        parts['COUNT'] = rnd.randint(1, 400)
    elif end < .5 or frequency == 'MINUTELY':
        until = datetime.fromtimestamp(FROM / 1000, UTC).replace(tzinfo=None) + timedelta(
            days=rnd.randint(0, 800), hours=rnd.randint(0, 23))
        parts['UNTIL'] = (until.strftime('%Y%m%d') if kind == 'day'
                          else until.strftime('%Y%m%dT%H%M%S') + ('' if kind == 'floating' else 'Z'))
    if frequency == 'MINUTELY':
        # Each minute is looked at.
        parts.pop('COUNT', None)
        until = start + timedelta(days=rnd.randint(0, 5), hours=rnd.randint(0, 23))
        parts['UNTIL'] = until.strftime('%Y%m%dT%H%M%S') + ('' if kind == 'floating' else 'Z')
    return ';'.join(f'{name}={value}' for name, value in parts.items())


def zone_by_text(lines):
    """The zone that an iCalendar description makes, by dateutil."""
    from io import StringIO
    return tz.tzical(StringIO('\r\n'.join(lines))).get()


def moment(local, zone):
    """RFC 5545 3.3.5: a skipped time counts with the offset before it, one that occurs twice is the first."""
    if zone is None:
        return local.replace(tzinfo=UTC)
    aware = local.replace(tzinfo=zone, fold=0)
    if not tz.datetime_exists(aware):
        return (local - (local - timedelta(days=1)).replace(tzinfo=zone).utcoffset()).replace(tzinfo=UTC)
    return aware.astimezone(UTC)


def times_of(rule, start, zone, kind):
    """Local times in order; the start is always the first."""
    parts = dict(part.split('=') for part in rule.split(';'))
    count = int(parts.pop('COUNT', 0))
    until = parts.pop('UNTIL', None)
    # Without a day, a week means the weekday of the start; dateutil would take all seven.
    if 'BYWEEKNO' in parts and not {'BYDAY', 'BYMONTHDAY', 'BYYEARDAY'} & parts.keys():
        parts['BYDAY'] = DAYS[start.weekday()]
    begin = start
    if parts['FREQ'] == 'WEEKLY' and 'BYSETPOS' in parts:
        # Positions count from the beginning of the week, also in the first one; dateutil counts from the start.
        begin = start - timedelta(days=(start.weekday() - DAYS.index(parts.get('WKST', 'MO'))) % 7)
        parts.setdefault('BYDAY', DAYS[start.weekday()])
    last = datetime.fromtimestamp(TO / 1000, UTC).replace(tzinfo=None) + timedelta(days=3)
    text = ';'.join(f'{name}={value}' for name, value in parts.items())
    # The end keeps dateutil from looking for times until the year 9999.
    try:
        generated = rrulestr(text + last.strftime(';UNTIL=%Y%m%dT%H%M%S'), dtstart=begin)
    except ValueError:
        # Every sixth hour from one on is never two o'clock.
        generated = []

    def all_times():
        yield start
        yield from (time for time in generated if time > start)

    times = islice(all_times(), count) if count else all_times()
    if until is None:
        return times
    if kind == 'day':
        return takewhile(lambda time: time.date() <= datetime.strptime(until, '%Y%m%d').date() or time == start, times)
    if until.endswith('Z'):
        end = datetime.strptime(until, '%Y%m%dT%H%M%SZ').replace(tzinfo=UTC)
        near = timedelta(days=2)
        naive = end.replace(tzinfo=None)

        def is_before(time):
            # Zones are slow here, and matter close to the end only.
            return time < naive - near or (time < naive + near and moment(time, zone) <= end)

        return takewhile(lambda time: time == start or time < naive + near,
                         (time for time in times if time == start or is_before(time)))
    return (time for time in times if time <= datetime.strptime(until, '%Y%m%dT%H%M%S') or time == start)


def make_case(number):
    kind = rnd.choices(['zone', 'windows', 'described', 'utc', 'floating', 'day'], [6, 2, 2, 2, 1, 3])[0]
    year = rnd.randint(2012, datetime.fromtimestamp(FROM / 1000, UTC).year + 1)
    start = datetime(year, rnd.randint(1, 12), rnd.randint(1, 28), rnd.randint(0, 23), rnd.choice([0, 15, 30]))
    if kind == 'day':
        start = start.replace(hour=0, minute=0)
    is_fine = kind != 'day' and rnd.random() < .1
    if is_fine:
        start = datetime.fromtimestamp(FROM / 1000, UTC).replace(tzinfo=None, second=0, microsecond=0) + timedelta(
            days=rnd.randint(-20, 300), minutes=rnd.randint(0, 1439))
    rule = make_rule(kind, start, is_fine)
    zone, head, above = None, '', []
    if kind == 'zone':
        name = rnd.choice(IANA)
        zone, head = tz.gettz(name), f';TZID={name}'
    elif kind == 'windows':
        name = rnd.choice(WINDOWS)
        zone, head = tz.gettz(WINDOWS_TO_OLSON[name]), f';TZID={name}'
    elif kind == 'described':
        parts = rnd.choice(DESCRIBED)
        above = described(*parts)
        zone, head = zone_by_text(above), f';TZID={parts[0]}'
    elif kind == 'day':
        head = ';VALUE=DATE'
    z = 'Z' if kind == 'utc' else ''

    def text(time):
        return time.strftime('%Y%m%d') if kind == 'day' else time.strftime('%Y%m%dT%H%M%S') + z

    low, high = (datetime.fromtimestamp(ms / 1000, UTC) for ms in (FROM, TO))
    margin, naive_low, naive_high = timedelta(days=2), low.replace(tzinfo=None), high.replace(tzinfo=None)
    found = []
    for time in times_of(rule, start, zone, kind):
        if time >= naive_high + margin:
            break
        if time >= naive_low - margin and low <= moment(time, zone) < high:
            found.append(time)
        # Larger series are cut, which is another test.
        if len(found) > LIMIT - 20:
            return None
    length = timedelta(days=1) if kind == 'day' else timedelta(minutes=rnd.choice([15, 60, 600]))
    event = [f'UID:{number}', f'SUMMARY:Series {number}', f'DTSTART{head}:{text(start)}']
    event.append('DURATION:P1D' if kind == 'day' else f'DURATION:PT{int(length.total_seconds() / 60)}M')
    event.append(f'RRULE:{rule}')
    times = {time: [moment(time, zone), length, None] for time in found}
    if rnd.random() < .3 and kind != 'floating':
        for _ in range(rnd.randint(1, 3)):
            added = low.replace(tzinfo=None) + timedelta(days=rnd.randint(3, 700), minutes=rnd.randint(0, 1439))
            added = added.replace(second=0, microsecond=0, **({'hour': 0, 'minute': 0} if kind == 'day' else {}))
            event.append(f'RDATE{head}:{text(added)}')
            if low <= moment(added, zone) < high:
                times.setdefault(added, [moment(added, zone), length, None])
    if rnd.random() < .4 and times:
        for time in rnd.sample(sorted(times), min(len(times), rnd.randint(1, 4))):
            if zone is not None and rnd.random() < .3 and tz.datetime_exists(time.replace(tzinfo=zone)):
                event.append(f"EXDATE:{moment(time, zone).strftime('%Y%m%dT%H%M%SZ')}")
                for other in [one for one in times if times[one][0] == moment(time, zone)]:
                    del times[other]
            else:
                event.append(f'EXDATE{head}:{text(time)}')
                times.pop(time, None)
    changed = []
    if rnd.random() < .3 and times:
        for time in rnd.sample(sorted(times), min(len(times), rnd.randint(1, 3))):
            one = [f'UID:{number}', f'RECURRENCE-ID{head}:{text(time)}']
            if rnd.random() < .3:
                changed += ['BEGIN:VEVENT', *one, f'DTSTART{head}:{text(time)}', 'STATUS:CANCELLED', 'END:VEVENT']
                del times[time]
                continue
            moved = time + timedelta(days=rnd.randint(-3, 3), minutes=0 if kind == 'day' else rnd.randint(0, 600))
            changed += ['BEGIN:VEVENT', *one, f'DTSTART{head}:{text(moved)}', f'SUMMARY:Moved {number}',
                        'DURATION:P1D' if kind == 'day' else 'DURATION:PT45M', 'END:VEVENT']
            at = moment(moved, zone)
            if low <= at < high:
                times[time] = [at, timedelta(days=1) if kind == 'day' else timedelta(minutes=45), 'moved']
            else:
                del times[time]
    ical = '\r\n'.join(['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test', *above, 'BEGIN:VEVENT', *event, 'END:VEVENT',
                        *changed, 'END:VCALENDAR', ''])
    check_readable(ical, rule)
    return {
        'ical': ical,
        'occurrences': sorted(
            [text(time), int(at.timestamp() * 1000), int((at + length).timestamp() * 1000), note is not None]
            for time, (at, length, note) in times.items()),
    }


def check_readable(ical, rule):
    """What was generated is valid: icalendar reads the same rule from it."""
    events = [one for one in Calendar.from_ical(ical).walk('VEVENT') if 'RRULE' in one]
    read = events[0]['RRULE'].to_ical().decode()
    assert sorted(read.split(';')) == sorted(rule.split(';')), (read, rule)


made = 0
while made < COUNT:
    case = make_case(made)
    if case is not None:
        made += 1
        print(json.dumps(case))
