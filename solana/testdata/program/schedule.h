// When a thread is ready, and when it is next.
#pragma once
#include "cron.h"
#include "layout.h"
#include "sip.h"

// jitter_of is the last part of every trigger of time.
INLINE u64 jitter_of(const u8 *trigger, u64 size) { return load64(trigger + size - 8); }

// last_start is the time or the block of the last execution.
INLINE i64 last_start(const Thread *t) { return (i64)load64(t->schedule[0] == ON_CHANGE ? t->created : t->schedule + 1); }

// check_trigger refuses what is not due, and says for how many seconds it has been.
static NOINLINE u64 check_trigger(const Thread *t, const Clock *clock, const Account *first, i64 *since) {
  const u8 *trigger = t->trigger, *self = t->account->key;
  i64 ready = clock->unix_time;
  switch (trigger[0]) {
    case ON_ACCOUNT:
      if (!first || !is(first, trigger + 1)) return CUSTOM(4);
      if (t->schedule[0] == ON_CHANGE && watched(first, load64(trigger + 33), load64(trigger + 41)) == load64(t->schedule + 1)) return CUSTOM(4);
      break;
    case IMMEDIATE:
      ready = later(ready, jitter_offset(last_start(t), self, jitter_of(trigger, t->trigger_size)));
      break;
    case ON_TIMESTAMP:
      ready = later((i64)load64(trigger + 1), jitter_offset(last_start(t), self, jitter_of(trigger, t->trigger_size)));
      break;
    case ON_INTERVAL: case ON_CRON: // jitter is in it already
      if (t->schedule[0] != TIMED) return CUSTOM(4);
      ready = (i64)load64(t->schedule + 9);
      break;
    case ON_SLOT:
      if (clock->slot < load64(trigger + 1)) return CUSTOM(4);
      ready -= (i64)((clock->slot - load64(trigger + 1)) * 400 / 1000);
      break;
    case ON_EPOCH:
      if (clock->epoch < load64(trigger + 1)) return CUSTOM(4);
  }
  *since = clock->unix_time - ready;
  return trigger[0] != IMMEDIATE && *since < 0 ? CUSTOM(4) : 0;
}

// next_time is when a thread of an interval or an expression is ready behind now.
static NOINLINE i64 next_time(const Thread *t, i64 now) {
  const u8 *trigger = t->trigger;
  u64 jitter = jitter_offset(now, t->account->key, jitter_of(trigger, t->trigger_size));
  if (trigger[0] == ON_INTERVAL) return later(later(now, load64(trigger + 1)), jitter);
  Cron cron;
  u64 next = parse_cron(trigger + 5, load32(trigger + 1), &cron) ? cron_after(&cron, (u64)now) : 0;
  return next == 0 ? 0 : later((i64)next, jitter);
}

// set_schedule writes the schedule of an execution now, or of a trigger that was given now.
static NOINLINE u64 set_schedule(Thread *t, const Clock *clock, const Account *first, int is_new) {
  u8 schedule[17];
  u64 kind = t->trigger[0], prev = (u64)clock->unix_time, next = 0;
  schedule[0] = kind == ON_ACCOUNT ? ON_CHANGE : (kind == ON_SLOT || kind == ON_EPOCH ? BLOCK : TIMED);
  switch (kind) {
    case ON_ACCOUNT:
      if (!is_new && !first) return CUSTOM(4);
      prev = is_new ? 0 : watched(first, load64(t->trigger + 33), load64(t->trigger + 41));
      break;
    case IMMEDIATE: next = is_new ? prev : 0; break;
    case ON_TIMESTAMP: next = is_new ? load64(t->trigger + 1) : 0x7fffffffffffffffULL; break;
    case ON_SLOT: prev = clock->slot; next = load64(t->trigger + 1); break;
    case ON_EPOCH: prev = clock->epoch; next = load64(t->trigger + 1); break;
    default:
      next = (u64)next_time(t, clock->unix_time);
      if (next == 0) return CUSTOM(4); // an expression that never comes again
  }
  store64(schedule + 1, prev);
  store64(schedule + 9, next);
  return splice(t, t->schedule, t->schedule_size, schedule, kind == ON_ACCOUNT ? 9 : 17);
}
