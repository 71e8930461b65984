// The stand-in for the on-chain thread program, of its newest version. See README.md.
#include "exec.h"
#include "owner.h"

static const u8 EXEC_THREAD[8] = {0x07, 0x3e, 0x60, 0xde, 0x6f, 0x2a, 0x65, 0x7c};
static const u8 UPDATE_THREAD[8] = {0x0e, 0xbd, 0xc2, 0x2b, 0xef, 0x24, 0xed, 0x76};
static const u8 CLOSE_THREAD[8] = {0x35, 0xe7, 0x10, 0x31, 0xf7, 0x65, 0x6d, 0x0b};

u64 entrypoint(const u8 *in) {
  Call *c = CALL;
  u64 err = read_input(in, c);
  if (err) return err;
  if (c->size < 8) return RUNTIME(INVALID_DATA);
  if (equal(c->data, EXEC_THREAD, 8)) return exec_thread(c);
  if (equal(c->data, UPDATE_THREAD, 8)) return update_thread(c);
  if (equal(c->data, CLOSE_THREAD, 8)) return close_thread(c);
  return 101; // the framework knows no such instruction
}
