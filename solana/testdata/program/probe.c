// What fibers call in tests. The first byte of the data says what it does, the others are its argument.
#include "vm.h"

enum {
  RETURN, // returns the rest: a signal
  FAIL,   // fails with the code of four bytes
  BURN,   // goes round a loop, as often as eight bytes say
  PAY,    // account 0, which signs, pays account 1 the lamports of eight bytes
  WRITE,  // writes the rest at the beginning of account 0, which is the probe's
  GIVE,   // account 0, which is the probe's, gives account 1 the lamports of eight bytes
  CALL_ON, // calls the program of account 0 with the rest
  CRASH,  // ends in the middle
};

static u64 transfer(Call *c, u64 lamports) {
  static const u8 SYSTEM[32] = {0};
  Account *a = c->accounts;
  u8 data[12] = {2};
  store64(data + 4, lamports);
  Meta metas[2] = {{a[0].key, 1, 1, {0}}, {a[1].key, 1, 0, {0}}};
  Instruction i = {SYSTEM, metas, 2, data, sizeof(data)};
  return invoke(c, &i, 0);
}

static u64 burn(u64 rounds) {
  volatile u64 sum = 0;
  for (u64 i = 0; i < rounds; i++) sum += i;
  return 0;
}

u64 entrypoint(const u8 *in) {
  Call *c = CALL;
  u64 err = read_input(in, c);
  if (err) return err;
  if (c->size == 0) return RUNTIME(INVALID_DATA);
  Account *a = c->accounts;
  const u8 *rest = c->data + 1;
  u64 size = c->size - 1, what = c->data[0];
  if ((what == BURN || what == PAY || what == GIVE) && size != 8) return RUNTIME(INVALID_DATA);
  if ((what == PAY || what == GIVE) && c->count < 2) return RUNTIME(NOT_ENOUGH_ACCOUNTS);
  if ((what == WRITE || what == CALL_ON) && c->count < 1) return RUNTIME(NOT_ENOUGH_ACCOUNTS);
  switch (what) {
    case RETURN: sol_set_return_data(rest, size); return 0;
    case FAIL: return size == 4 ? load32(rest) : RUNTIME(INVALID_DATA);
    case BURN: return burn(load64(rest));
    case PAY: return transfer(c, load64(rest));
    case WRITE:
      if (size > a[0].size) return RUNTIME(INVALID_DATA);
      sol_memcpy_(a[0].data, rest, size);
      return 0;
    case GIVE:
      *a[0].lamports -= load64(rest);
      *a[1].lamports += load64(rest);
      return 0;
    case CALL_ON: {
      Instruction i = {a[0].key, 0, 0, rest, size};
      return invoke(c, &i, 0);
    }
    case CRASH: sol_panic_("probe.c", 7, 1, 1); return 0;
    default: return RUNTIME(INVALID_DATA);
  }
}
