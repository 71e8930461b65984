// Expressions of time: sec min hour date month weekday [year], or @yearly, @monthly, @weekly, @daily, @hourly; UTC. A day must
// fit both fields of days, and days of the week are 1, Sunday, to 7.
#pragma once
#include "vm.h"

#define FIRST_YEAR 1970
#define LAST_YEAR 2100
enum { SECOND, MINUTE, HOUR, DATE, MONTH, WEEKDAY, FIELDS };

typedef struct { u64 set[FIELDS]; u64 year[3]; } Cron;

INLINE int has_year(const Cron *c, u64 y) { return c->year[(y - FIRST_YEAR) >> 6] >> ((y - FIRST_YEAR) & 63) & 1; }

INLINE u64 lowest(u64 field) { return field == 6 ? FIRST_YEAR : (field == DATE || field == MONTH || field == WEEKDAY ? 1 : 0); }

INLINE u64 highest(u64 field) {
  switch (field) {
    case SECOND: case MINUTE: return 59;
    case HOUR: return 23;
    case DATE: return 31;
    case MONTH: return 12;
    case WEEKDAY: return 7;
    default: return LAST_YEAR;
  }
}

INLINE u8 lower(u8 c) { return c >= 'A' && c <= 'Z' ? (u8)(c | 32) : c; }
INLINE int is_letter(u8 c) { return lower(c) >= 'a' && lower(c) <= 'z'; }
INLINE int is_digit(u8 c) { return c >= '0' && c <= '9'; }
INLINE int is_space(u8 c) { return c == ' ' || (c >= 9 && c <= 13); }

typedef struct { const u8 *at, *end; } Text;
INLINE u8 peek(const Text *t) { return t->at < t->end ? *t->at : 0; }

// name reads a month or a day, of which the first three letters count.
static NOINLINE int name(Text *t, u64 field, u64 *value) {
  const char *names = field == MONTH ? "janfebmaraprmayjunjulaugsepoctnovdec" : "sunmontuewedthufrisat";
  u64 many = field == MONTH ? 12 : 7;
  if ((field != MONTH && field != WEEKDAY) || t->end - t->at < 3) return 0;
  for (u64 i = 0; i < many; i++) {
    const char *n = names + 3 * i;
    if (lower(t->at[0]) == n[0] && lower(t->at[1]) == n[1] && lower(t->at[2]) == n[2]) {
      while (is_letter(peek(t))) t->at++;
      *value = i + 1;
      return 1;
    }
  }
  return 0;
}

static NOINLINE int number(Text *t, u64 *value) {
  if (!is_digit(peek(t))) return 0;
  *value = 0;
  for (; is_digit(peek(t)); t->at++) {
    *value = *value * 10 + (u64)(*t->at - '0');
    if (*value > 10000) return 0;
  }
  return 1;
}

static NOINLINE int value(Text *t, u64 field, u64 *v) {
  int read = is_letter(peek(t)) ? name(t, field, v) : number(t, v);
  return read && *v >= lowest(field) && *v <= highest(field);
}

// term reads one part of a list, and adds its values to the field's.
static NOINLINE int term(Text *t, u64 field, Cron *c) {
  u64 from = lowest(field), to = highest(field), step = 1;
  int one = 0;
  if (peek(t) == '*' || (peek(t) == '?' && (field == DATE || field == WEEKDAY))) {
    t->at++;
  } else {
    if (!value(t, field, &from)) return 0;
    if (peek(t) == '-') {
      t->at++;
      if (!value(t, field, &to) || to < from) return 0;
    } else {
      one = 1;
    }
  }
  if (peek(t) == '/') {
    t->at++;
    if (!number(t, &step) || step == 0) return 0;
  } else if (one) {
    to = from;
  }
  for (u64 v = from; v <= to; v += step) {
    if (field < FIELDS) c->set[field] |= 1ULL << v;
    else c->year[(v - FIRST_YEAR) >> 6] |= 1ULL << ((v - FIRST_YEAR) & 63);
  }
  return 1;
}

// named replaces @daily and its like by what they stand for.
static NOINLINE void named(Text *t) {
  u64 size = (u64)(t->end - t->at);
  const char *whole = 0;
  if (size == 7 && equal(t->at, TEXT("@yearly"))) whole = "0 0 0 1 1 *";
  if (size == 8 && equal(t->at, TEXT("@monthly"))) whole = "0 0 0 1 * *";
  if (size == 7 && equal(t->at, TEXT("@weekly"))) whole = "0 0 0 * * 1";
  if (size == 6 && equal(t->at, TEXT("@daily"))) whole = "0 0 0 * * *";
  if (size == 7 && equal(t->at, TEXT("@hourly"))) whole = "0 0 * * * *";
  if (!whole) return;
  t->at = (const u8 *)whole;
  t->end = t->at + 11; // each of them
}

static NOINLINE int parse_cron(const u8 *bytes, u64 size, Cron *c) {
  Text t = {bytes, bytes + size};
  sol_memset_((u8 *)c, 0, sizeof(Cron));
  named(&t);
  u64 field = 0;
  for (; field <= FIELDS; field++) {
    while (is_space(peek(&t))) t.at++;
    if (t.at == t.end) break;
    if (!term(&t, field, c)) return 0;
    while (peek(&t) == ',') {
      t.at++;
      if (!term(&t, field, c)) return 0;
    }
    if (t.at != t.end && !is_space(peek(&t))) return 0;
  }
  while (is_space(peek(&t))) t.at++;
  if (t.at != t.end || field < FIELDS) return 0;
  if (field == FIELDS) c->year[0] = c->year[1] = c->year[2] = ~0ULL;
  return 1;
}

// The calendar, in days since 1970: years begin in March here, so that a leap day is the last (H. Hinnant's algorithms).
INLINE u64 day_of(u64 y, u64 m, u64 d) {
  y -= m <= 2;
  u64 era = y / 400, of_era = y - era * 400;
  u64 of_year = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

typedef struct { u64 year, month, date; } Date;

static NOINLINE void date_of(u64 day, Date *out) {
  u64 z = day + 719468, era = z / 146097, of_era = z - era * 146097;
  u64 y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  u64 of_year = of_era - (365 * y + y / 4 - y / 100);
  u64 m = (5 * of_year + 2) / 153;
  out->date = of_year - (153 * m + 2) / 5 + 1;
  out->month = m < 10 ? m + 3 : m - 9;
  out->year = y + era * 400 + (out->month <= 2);
}

// from is the first value of a set that is not below n, 64 when there is none.
INLINE u64 from(u64 set, u64 n) {
  while (n < 64 && !(set >> n & 1)) n++;
  return n;
}

// within is the first time of a day that is not before a second of it; 86400 when there is none.
static NOINLINE u64 within(const Cron *c, u64 second) {
  u64 h = second / 3600, m = second / 60 % 60, s = second % 60;
  u64 first_minute = from(c->set[MINUTE], 0), first_second = from(c->set[SECOND], 0);
  if (c->set[HOUR] >> h & 1) {
    if (c->set[MINUTE] >> m & 1) {
      u64 found = from(c->set[SECOND], s);
      if (found < 60) return h * 3600 + m * 60 + found;
    }
    u64 found = from(c->set[MINUTE], m + 1);
    if (found < 60) return h * 3600 + found * 60 + first_second;
  }
  u64 found = from(c->set[HOUR], h + 1);
  return found < 24 ? found * 3600 + first_minute * 60 + first_second : 86400;
}

INLINE u64 next_month(const Date *d) { return d->month == 12 ? day_of(d->year + 1, 1, 1) : day_of(d->year, d->month + 1, 1); }

// next_date is the next day that may be in the set: never beyond the first of the next month, nor beyond a 29th.
INLINE u64 next_date(const Cron *c, u64 day, const Date *d) {
  u64 found = from(c->set[DATE], d->date + 1);
  if (found > 31) return next_month(d);
  if (found > 29) found = 29;
  return found > d->date ? day + found - d->date : day + 1;
}

// cron_after is the first time behind now, 0 when there is none.
static NOINLINE u64 cron_after(const Cron *c, u64 now) {
  u64 day = (now + 1) / 86400, second = (now + 1) % 86400;
  for (Date d;; second = 0) {
    date_of(day, &d);
    if (d.year > LAST_YEAR) return 0;
    if (!has_year(c, d.year)) {
      day = day_of(d.year + 1, 1, 1);
    } else if (!(c->set[MONTH] >> d.month & 1)) {
      day = next_month(&d);
    } else if (!(c->set[DATE] >> d.date & 1)) {
      day = next_date(c, day, &d);
    } else {
      if (c->set[WEEKDAY] >> ((day + 4) % 7 + 1) & 1) {
        u64 found = within(c, second);
        if (found < 86400) return day * 86400 + found;
      }
      day++;
    }
  }
}
