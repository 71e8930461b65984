// The accounts of threads and fibers: borsh, little endian, read in sequence because most parts have no fixed place.
#pragma once
#include "vm.h"

static const u8 THREAD_ACCOUNT[8] = {0xba, 0x1b, 0x9a, 0x6f, 0x33, 0x24, 0x9f, 0x5a};
static const u8 CONFIG_ACCOUNT[8] = {0xd2, 0xb8, 0x52, 0xf6, 0x1c, 0xb3, 0xbd, 0xe0};
static const u8 FIBER_ACCOUNT[8] = {0x36, 0x0b, 0xfb, 0x3c, 0x3f, 0xc5, 0x55, 0x24};
static const u8 FIBER_VERSIONS[8] = {0x2c, 0xbd, 0xb1, 0x0f, 0x9c, 0xa7, 0x14, 0x56};
static const u8 FIBER_PROGRAM[32] = { // AgFv5afjW9DmSPkiEvJ1er5bAAmRUqaBeTB6Cr8e1hKx
  0x8f, 0xc7, 0xb2, 0xd1, 0x92, 0x46, 0x93, 0x90, 0xd9, 0x2a, 0x53, 0x88, 0xc5, 0xbc, 0x30, 0xf4,
  0x84, 0x84, 0xe5, 0x69, 0xe6, 0x74, 0xff, 0x65, 0xbb, 0xc1, 0x06, 0xa5, 0xe9, 0xaf, 0x4b, 0x5b,
};
static const u8 PAYER[32] = { // AntegenPayer1111111111111111111111111111111: whoever executes
  0x02, 0x82, 0x1d, 0xa8, 0x4f, 0x30, 0x1d, 0x2d, 0xd2, 0x7a, 0x55, 0xcd, 0xd0, 0x5d, 0xba, 0xb1,
  0x7f, 0xfc, 0xe1, 0x6c, 0xee, 0x65, 0xfb, 0xeb, 0x35, 0xf1, 0xc5, 0xeb, 0x80, 0x00, 0x00, 0x00,
};
static const u8 SYSTEM[32] = {0};

enum { ON_ACCOUNT, IMMEDIATE, ON_TIMESTAMP, ON_INTERVAL, ON_CRON, ON_SLOT, ON_EPOCH };
enum { ON_CHANGE, TIMED, BLOCK };
enum { NO_SIGNAL, CHAIN, CLOSE, REPEAT, NEXT, UPDATE };

// A Cursor goes over bytes; behind a part that is not there it stays bad, and gives the end.
typedef struct { u8 *at, *end; int bad; } Cursor;

static NOINLINE u8 *take(Cursor *c, u64 size) {
  if (c->bad || size > (u64)(c->end - c->at)) {
    c->bad = 1;
    return c->end - 8; // something that can be read
  }
  c->at += size;
  return c->at - size;
}

INLINE u64 take32(Cursor *c) { return load32(take(c, 4)); }

static NOINLINE void pass_trigger(Cursor *c) {
  switch (*take(c, 1)) {
    case ON_ACCOUNT: take(c, 48); break;
    case IMMEDIATE: case ON_SLOT: case ON_EPOCH: take(c, 8); break;
    case ON_TIMESTAMP: take(c, 16); break;
    case ON_INTERVAL: take(c, 17); break;
    case ON_CRON: take(c, take32(c)); take(c, 9); break;
    default: c->bad = 1;
  }
}

// A Signal is what a fiber asks for.
typedef struct { u8 kind, index, has_paused, paused, has_index; u8 *trigger; u64 trigger_size; } Signal;

static NOINLINE void read_signal(Cursor *c, Signal *s) {
  sol_memset_((u8 *)s, 0, sizeof(Signal));
  s->kind = *take(c, 1);
  if (s->kind == NEXT) s->index = *take(c, 1);
  if (s->kind > UPDATE) c->bad = 1;
  if (s->kind != UPDATE) return;
  if ((s->has_paused = *take(c, 1))) s->paused = *take(c, 1);
  if (*take(c, 1)) {
    s->trigger = c->at;
    pass_trigger(c);
    s->trigger_size = (u64)(c->at - s->trigger);
  }
  if ((s->has_index = *take(c, 1))) s->index = *take(c, 1);
}

// A Thread is where the parts of a thread's account are.
typedef struct {
  Account *account;
  const u8 *program;
  u8 *bump, *authority, *id, *created, *trigger, *schedule, *fibers, *cursor, *signal, *paused, *count, *executor, *nonce, *closing;
  u64 id_size, trigger_size, schedule_size, fiber_count, signal_size, closing_size;
} Thread;

static NOINLINE u64 read_thread(Thread *t, Account *a, const u8 *program) {
  if (!equal(a->owner, program, 32)) return equal(a->owner, SYSTEM, 32) && *a->lamports == 0 ? NOT_INITIALIZED : WRONG_OWNER;
  if (a->size < 64 || !equal(a->data, THREAD_ACCOUNT, 8)) return WRONG_DISCRIMINATOR;
  Cursor c = {a->data + 9, a->data + a->size, 0};
  Signal s;
  t->account = a;
  t->program = program;
  t->bump = take(&c, 1);
  t->authority = take(&c, 32);
  t->id_size = take32(&c);
  t->id = take(&c, t->id_size);
  take(&c, take32(&c)); // its name
  t->created = take(&c, 8);
  t->trigger = c.at;
  pass_trigger(&c);
  t->schedule = c.at;
  t->trigger_size = (u64)(t->schedule - t->trigger);
  take(&c, *take(&c, 1) == ON_CHANGE ? 8 : 16);
  t->schedule_size = (u64)(c.at - t->schedule);
  t->fiber_count = take32(&c);
  t->fibers = take(&c, t->fiber_count);
  t->cursor = take(&c, 1);
  take(&c, 1); // the index of the next fiber that is made
  t->signal = c.at;
  read_signal(&c, &s);
  t->signal_size = (u64)(c.at - t->signal);
  t->paused = take(&c, 1);
  t->count = take(&c, 8);
  t->executor = take(&c, 32);
  t->nonce = take(&c, 32);
  take(&c, take32(&c)); // its last nonce
  t->closing_size = take32(&c);
  t->closing = take(&c, t->closing_size);
  return c.bad || t->id_size > 32 ? RUNTIME(BORSH) : 0;
}

// splice puts other bytes in the place of a part. All behind it moves, so the thread is read anew.
static NOINLINE u64 splice(Thread *t, u8 *part, u64 size, const u8 *bytes, u64 new_size) {
  Account *a = t->account;
  u8 *end = a->data + a->size, *used = t->closing + t->closing_size;
  if (new_size > size && new_size - size > (u64)(end - used)) return RUNTIME(INVALID_DATA);
  u64 tail = (u64)(used - (part + size));
  sol_memmove_(part + new_size, part + size, tail);
  sol_memcpy_(part, bytes, new_size);
  if (new_size < size) sol_memset_(part + new_size + tail, 0, size - new_size);
  return read_thread(t, a, t->program);
}

// The seeds of a thread's address, by which the program signs for it.
INLINE void thread_seeds(const Thread *t, Seed seeds[4]) {
  seeds[0] = (Seed){TEXT("thread")};
  seeds[1] = (Seed){t->authority, 32};
  seeds[2] = (Seed){t->id, t->id_size};
  seeds[3] = (Seed){t->bump, 1};
}

static NOINLINE u64 check_address(const Thread *t) {
  Seed seeds[4];
  u8 key[32];
  thread_seeds(t, seeds);
  return sol_create_program_address(seeds, 4, t->program, key) || !equal(key, t->account->key, 32) ? CONSTRAINT_SEEDS : 0;
}

static NOINLINE int is_fiber_of(const u8 *key, const u8 *thread, u8 index) {
  Seed seeds[3] = {{TEXT("thread_fiber")}, {thread, 32}, {&index, 1}};
  u8 found[32], bump;
  return !sol_try_find_program_address(seeds, 3, FIBER_PROGRAM, found, &bump) && equal(found, key, 32);
}

// fiber_thread is the key of a fiber's thread, 0 when the account is no fiber; behind it is what the fiber executes.
static NOINLINE u8 *fiber_thread(const Account *a) {
  if (a->size < 64) return 0;
  if (equal(a->data, FIBER_VERSIONS, 8)) return a->data + 9;
  return equal(a->data, FIBER_ACCOUNT, 8) ? a->data + 8 : 0;
}

INLINE int has_nonce(const Thread *t) { return !equal(t->nonce, SYSTEM, 32) && !equal(t->nonce, t->program, 32); }
