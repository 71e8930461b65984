// What a thread's authority does to it: update_thread and close_thread. A thread that a fiber has ended closes itself.
#pragma once
#include "layout.h"
#include "schedule.h"

static u64 update_thread(Call *c) {
  Account *authority = &c->accounts[0];
  Thread t;
  if (c->count < 2) return RUNTIME(NOT_ENOUGH_ACCOUNTS);
  if (!authority->signer) return NOT_A_SIGNER;
  u64 err = read_thread(&t, &c->accounts[1], c->program);
  if (!err && !is(authority, t.authority)) err = CONSTRAINT_RAW;
  if (!err) err = check_address(&t);
  if (err) return err;
  Cursor r = {(u8 *)c->data + 8, (u8 *)c->data + c->size, 0};
  u8 has_paused = *take(&r, 1), paused = has_paused ? *take(&r, 1) : 0, has_trigger = *take(&r, 1);
  u8 *trigger = r.at;
  if (has_trigger) pass_trigger(&r);
  if (r.bad || r.at != r.end) return RUNTIME(BORSH);
  if (has_paused) *t.paused = paused;
  if (!has_trigger) return 0;
  if (!has_paused) *t.paused = 0; // another trigger is meant to come
  Clock clock;
  sol_get_clock_sysvar(&clock);
  err = splice(&t, t.trigger, t.trigger_size, trigger, (u64)(r.at - trigger));
  return err ? err : set_schedule(&t, &clock, 0, 1);
}

// close_fiber lets the fiber program close one that belongs to the thread; its rent goes to the thread.
static NOINLINE u64 close_fiber(Call *c, const Thread *t, Account *fiber) {
  static const u8 CLOSE_FIBER[8] = {0x62, 0xa5, 0xc9, 0xb1, 0x6c, 0x41, 0xce, 0x60};
  u8 *thread = fiber_thread(fiber);
  if (!thread) return WRONG_DISCRIMINATOR;
  int ours = 0;
  for (u64 i = 0; i < t->fiber_count && !ours; i++) ours = is_fiber_of(fiber->key, t->account->key, t->fibers[i]);
  if (!ours || !equal(thread, t->account->key, 32)) return CUSTOM(40);
  Seed seeds[4];
  Signer signer = {seeds, 4};
  thread_seeds(t, seeds);
  Meta metas[2] = {{t->account->key, 1, 1, {0}}, {fiber->key, 1, 0, {0}}};
  Instruction i = {FIBER_PROGRAM, metas, 2, CLOSE_FIBER, 8};
  return invoke(c, &i, &signer);
}

static u64 close_thread(Call *c) {
  Account *authority = &c->accounts[0], *to = &c->accounts[1];
  Thread t;
  if (c->count < 4) return RUNTIME(NOT_ENOUGH_ACCOUNTS);
  if (!authority->signer) return NOT_A_SIGNER;
  u64 err = read_thread(&t, &c->accounts[2], c->program);
  if (!err && !is(authority, t.authority) && !is(authority, t.account->key)) err = CONSTRAINT_RAW;
  if (!err) err = check_address(&t);
  if (err) return err;
  for (u64 i = 4; i < c->count; i++) {
    if ((err = close_fiber(c, &t, &c->accounts[i]))) return err;
  }
  if (c->count - 4 != t.fiber_count) return CUSTOM(41);
  close_account(t.account, to);
  return 0;
}
