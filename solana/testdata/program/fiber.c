// The stand-in for the on-chain fiber program: it owns the fibers, and closes them for their threads. See README.md.
#include "layout.h"

static const u8 CLOSE_FIBER[8] = {0x62, 0xa5, 0xc9, 0xb1, 0x6c, 0x41, 0xce, 0x60};

u64 entrypoint(const u8 *in) {
  Call *c = CALL;
  u64 err = read_input(in, c);
  if (err) return err;
  if (c->size != 8 || !equal(c->data, CLOSE_FIBER, 8)) return 101; // the framework knows no such instruction
  if (c->count < 2) return RUNTIME(NOT_ENOUGH_ACCOUNTS);
  Account *thread = &c->accounts[0], *fiber = &c->accounts[1];
  if (!thread->signer) return NOT_A_SIGNER;
  if (!equal(fiber->owner, c->program, 32)) return WRONG_OWNER;
  u8 *of = fiber_thread(fiber);
  if (!of) return WRONG_DISCRIMINATOR;
  if (!is(thread, of)) return CONSTRAINT_HAS_ONE;
  close_account(fiber, thread);
  return 0;
}
