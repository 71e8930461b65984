// exec_thread: an executor pays for a transaction in which a thread's fiber runs, and is paid by the thread.
#pragma once
#include "layout.h"
#include "pay.h"
#include "schedule.h"

enum { EXECUTOR, THREAD, FIBER, CONFIG, ADMIN, NONCE, BLOCKHASHES, SYSTEM_PROGRAM, REMAINING };

// compile makes an instruction of a compiled one: accounts in a table, and what each may do by its place in it.
static NOINLINE u64 compile(Call *c, u8 *bytes, u64 size, const u8 *executor, Instruction *out) {
  Cursor r = {bytes, bytes + size, size < 16};
  u8 *head = take(&r, 3);
  u64 read_signers = head[0], signers = head[0] + (u64)head[1], written = signers + head[2];
  if (take32(&r) == 0) return RUNTIME(BORSH);
  u64 program = *take(&r, 1);
  u64 many = take32(&r);
  u8 *uses = take(&r, many);
  out->size = take32(&r);
  out->data = take(&r, out->size);
  u64 keys = take32(&r);
  if (keys > 256) return RUNTIME(BORSH);
  u8 *table = take(&r, 32 * keys);
  if (r.bad || program >= keys || many > MOST_METAS) return RUNTIME(BORSH);
  out->program = table + 32 * program;
  out->metas = c->metas;
  out->count = many;
  for (u64 i = 0; i < many; i++) {
    u64 place = uses[i];
    if (place >= keys) return RUNTIME(BORSH);
    Meta *m = &c->metas[i];
    m->key = equal(table + 32 * place, PAYER, 32) ? executor : table + 32 * place;
    m->signer = place < signers;
    m->writable = place < signers - read_signers || (place >= signers && place < written);
  }
  return 0;
}

static NOINLINE u64 advance_nonce(Call *c, const Thread *t, const Signer *signer) {
  static const u8 ADVANCE[4] = {4};
  Account *a = c->accounts;
  if (is(&a[NONCE], c->program) || is(&a[BLOCKHASHES], c->program)) return CUSTOM(27);
  Meta metas[3] = {{a[NONCE].key, 1, 0, {0}}, {a[BLOCKHASHES].key, 0, 0, {0}}, {t->account->key, 0, 1, {0}}};
  Instruction i = {SYSTEM, metas, 3, ADVANCE, 4};
  return invoke(c, &i, signer);
}

// run_close runs what the thread was given for its end: the program itself closes it, and all of its fibers.
static NOINLINE u64 run_close(Call *c, Thread *t, const Signer *signer) {
  Instruction i;
  u64 err = compile(c, t->closing, t->closing_size, c->accounts[EXECUTOR].key, &i);
  if (err) return err;
  for (u64 f = 0; f < t->fiber_count; f++) {
    Account *found = 0;
    for (u64 k = REMAINING; k < c->count && !found; k++) {
      if (is_fiber_of(c->accounts[k].key, t->account->key, t->fibers[f])) found = &c->accounts[k];
    }
    if (!found || i.count >= MOST_METAS) return CUSTOM(41);
    Meta *m = &c->metas[i.count++];
    m->key = found->key;
    m->signer = 0;
    m->writable = 1;
  }
  LOG("closing the thread");
  return invoke(c, &i, signer);
}

INLINE u8 next_fiber(const Thread *t) {
  for (u64 i = 0; i < t->fiber_count; i++) {
    if (t->fibers[i] == *t->cursor) return t->fibers[i + 1 == t->fiber_count ? 0 : i + 1];
  }
  return t->fiber_count ? t->fibers[0] : 0;
}

// answer is the signal that the fiber's own program has returned; what cannot be read is none.
static NOINLINE void answer(Call *c, const u8 *program, Signal *s) {
  u8 from[32];
  u64 size = sol_get_return_data(c->scratch, sizeof(c->scratch), from);
  sol_memset_((u8 *)s, 0, sizeof(Signal));
  if (size == 0 || size > sizeof(c->scratch) || !equal(from, program, 32)) return;
  Cursor r = {c->scratch, c->scratch + size, 0};
  read_signal(&r, s);
  if (r.bad || r.at != r.end) sol_memset_((u8 *)s, 0, sizeof(Signal));
}

// apply changes the thread as the signal says, and ends the execution of triggers that come once.
static NOINLINE u64 apply(Thread *t, const Signal *s) {
  u8 fired = t->trigger[0], kept = s->kind == CHAIN || s->kind == CLOSE ? s->kind : NO_SIGNAL;
  if (fired == IMMEDIATE && s->kind != CHAIN) kept = CLOSE;
  switch (s->kind) {
    case NO_SIGNAL: *t->cursor = next_fiber(t); break;
    case NEXT: *t->cursor = s->index; break;
    case UPDATE:
      *t->cursor = s->has_index ? s->index : next_fiber(t);
      if (s->has_paused) *t->paused = s->paused;
      else if (s->trigger) *t->paused = 0;
  }
  if (fired == ON_TIMESTAMP && s->kind != CHAIN && !(s->kind == UPDATE && s->has_paused && !s->paused)) *t->paused = 1;
  u64 err = splice(t, t->signal, t->signal_size, &kept, 1);
  if (!err && s->trigger) err = splice(t, t->trigger, t->trigger_size, s->trigger, s->trigger_size);
  return err;
}

static NOINLINE u64 pay(Call *c, i64 since, i64 change, u8 forgo) {
  Account *a = c->accounts;
  Pay p;
  reckon(&p, a[CONFIG].data, since, change, forgo);
  sol_log_64_((u64)since, p.reimbursed, p.executor, p.team, 0);
  if (*a[THREAD].lamports < p.reimbursed + p.executor + p.team) return CUSTOM(12);
  *a[THREAD].lamports -= p.reimbursed + p.executor + p.team;
  *a[EXECUTOR].lamports += p.reimbursed + p.executor;
  *a[ADMIN].lamports += p.team;
  return 0;
}

static NOINLINE u64 check_config(Call *c) {
  Account *a = c->accounts;
  const u8 *config = a[CONFIG].data;
  if (!equal(a[CONFIG].owner, c->program, 32)) return *a[CONFIG].lamports == 0 ? NOT_INITIALIZED : WRONG_OWNER;
  if (a[CONFIG].size < CONFIG_SIZE || !equal(config, CONFIG_ACCOUNT, 8)) return WRONG_DISCRIMINATOR;
  Seed seeds[2] = {{TEXT("thread_config")}, {config + CONFIG_BUMP, 1}};
  u8 key[32];
  if (sol_create_program_address(seeds, 2, c->program, key) || !is(&a[CONFIG], key)) return CONSTRAINT_SEEDS;
  if (!is(&a[ADMIN], config + CONFIG_ADMIN)) return CUSTOM(29);
  if (load64(config + CONFIG_DECAY) > LONGEST_DECAY) return CUSTOM(13);
  return config[CONFIG_PAUSED] ? CUSTOM(30) : 0;
}

// check_fiber wants a fiber, whosever it is.
static NOINLINE u64 check_fiber(const Account *a) {
  if (!equal(a->owner, FIBER_PROGRAM, 32)) return *a->lamports == 0 ? NOT_INITIALIZED : WRONG_OWNER;
  return fiber_thread(a) ? 0 : WRONG_DISCRIMINATOR;
}

static NOINLINE u64 check_accounts(Call *c, Thread *t) {
  Account *a = c->accounts;
  if (c->count < REMAINING) return RUNTIME(NOT_ENOUGH_ACCOUNTS);
  if (!a[EXECUTOR].signer) return NOT_A_SIGNER;
  u64 err = read_thread(t, &a[THREAD], c->program);
  if (!err) err = check_address(t);
  if (err) return err;
  if (*t->paused) return CUSTOM(6);
  if (t->fiber_count == 0) return CUSTOM(1);
  err = check_fiber(&a[FIBER]);
  return err ? err : check_config(c);
}

// run_fiber runs the fiber at the cursor, and reads its answer.
static NOINLINE u64 run_fiber(Call *c, const Thread *t, u8 cursor, const Signer *signer, Signal *s) {
  Account *fiber = &c->accounts[FIBER], *executor = &c->accounts[EXECUTOR];
  if (!is_fiber_of(fiber->key, t->account->key, cursor)) return CUSTOM(24);
  u8 *thread = fiber_thread(fiber);
  if (!equal(thread, t->account->key, 32)) return CUSTOM(40);
  Cursor r = {thread + 32, fiber->data + fiber->size, 0};
  u64 size = take32(&r);
  u8 *compiled = take(&r, size);
  if (r.bad) return RUNTIME(BORSH);
  Instruction i;
  u64 err = compile(c, compiled, size, executor->key, &i);
  if (!err) err = invoke(c, &i, signer);
  if (err) return err;
  if (executor->size != 0) return CUSTOM(9);
  answer(c, i.program, s);
  if (s->kind == CHAIN && t->fibers[t->fiber_count - 1] == cursor) s->kind = NO_SIGNAL; // nowhere to go on to
  return 0;
}

static u64 exec_thread(Call *c) {
  if (c->size != 10) return RUNTIME(BORSH);
  u8 forgo = c->data[8], cursor = c->data[9];
  Account *a = c->accounts, *first = c->count > REMAINING ? &a[REMAINING] : 0;
  Thread t;
  u64 err = check_accounts(c, &t);
  if (err) return err;
  Seed seeds[4];
  Signer signer = {seeds, 4};
  thread_seeds(&t, seeds);
  if (*t.signal == CLOSE) return run_close(c, &t, &signer);

  i64 start = (i64)*a[EXECUTOR].lamports, since = 0;
  int chained = *t.signal == CHAIN, known = 0;
  if (chained) *t.cursor = cursor;
  for (u64 i = 0; i < t.fiber_count; i++) known |= t.fibers[i] == *t.cursor;
  if (!known) return CUSTOM(37);
  if (has_nonce(&t) && (err = advance_nonce(c, &t, &signer))) return err;
  Clock clock;
  sol_get_clock_sysvar(&clock);
  if (!chained && (err = check_trigger(&t, &clock, first, &since))) return err;
  Signal s;
  if ((err = run_fiber(c, &t, cursor, &signer, &s))) return err;
  if (s.kind != CHAIN && (err = pay(c, since, (i64)*a[EXECUTOR].lamports - start, forgo))) return err;
  if ((err = apply(&t, &s))) return err;
  if (s.kind != CHAIN && (err = set_schedule(&t, &clock, first, 0))) return err;
  store64(t.count, load64(t.count) + 1);
  sol_memcpy_(t.executor, a[EXECUTOR].key, 32);
  return 0;
}
