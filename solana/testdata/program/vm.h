// What the virtual machine gives a program: its input, its calls, and how it says what went wrong.
#pragma once

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#define NOINLINE __attribute__((noinline))
#define INLINE static inline __attribute__((always_inline))

// Errors of the runtime are in the upper half of the result, those of the framework and of the program in the lower one.
#define RUNTIME(code) ((u64)(code) << 32)
enum { INVALID_DATA = 3, NOT_ENOUGH_ACCOUNTS = 11, BORSH = 15 };
enum {
  CONSTRAINT_HAS_ONE = 2001, CONSTRAINT_RAW = 2003, CONSTRAINT_SEEDS = 2006,
  WRONG_DISCRIMINATOR = 3002, WRONG_OWNER = 3007, NOT_A_SIGNER = 3010, NOT_INITIALIZED = 3012,
};
#define CUSTOM(index) ((u64)(6000 + (index)))

#define MOST_ACCOUNTS 64
#define MOST_METAS 64

typedef struct { const u8 *bytes; u64 size; } Seed;
typedef struct { const Seed *seeds; u64 count; } Signer;
typedef struct { const u8 *key; u8 writable, signer, pad[6]; } Meta;
typedef struct { const u8 *program; const Meta *metas; u64 count; const u8 *data; u64 size; } Instruction;
typedef struct {
  u8 *key;
  u64 *lamports;
  u64 size;
  u8 *data;
  u8 *owner;
  u64 rent_epoch;
  u8 signer, writable, executable, pad[5];
} Account;
typedef struct { u64 slot; i64 epoch_start; u64 epoch, leader_epoch; i64 unix_time; } Clock;

extern void sol_log_(const char *, u64);
extern void sol_log_64_(u64, u64, u64, u64, u64);
extern void sol_panic_(const char *, u64, u64, u64);
extern u64 sol_memcpy_(u8 *, const u8 *, u64);
extern u64 sol_memmove_(u8 *, const u8 *, u64);
extern u64 sol_memset_(u8 *, u8, u64);
extern u64 sol_memcmp_(const u8 *, const u8 *, u64, int *);
extern u64 sol_get_clock_sysvar(void *);
extern u64 sol_invoke_signed_c(const Instruction *, const Account *, u64, const Signer *, u64);
extern u64 sol_try_find_program_address(const Seed *, u64, const u8 *, u8 *, u8 *);
extern u64 sol_create_program_address(const Seed *, u64, const u8 *, u8 *);
extern u64 sol_set_return_data(const u8 *, u64);
extern u64 sol_get_return_data(u8 *, u64, u8 *);

#define TEXT(text) ((const u8 *)(text)), (sizeof(text) - 1)
#define LOG(text) sol_log_(text, sizeof(text) - 1)

INLINE u64 load64(const u8 *p) { return *(const u64 *)p; } // the machine does not mind where a number stands
INLINE u32 load32(const u8 *p) { return *(const u32 *)p; }
INLINE void store64(u8 *p, u64 v) { *(u64 *)p = v; }

static NOINLINE int equal(const u8 *a, const u8 *b, u64 size) {
  int order = 0;
  sol_memcmp_(a, b, size, &order);
  return order == 0;
}

// Everything that a call works with, at the bottom of the heap.
typedef struct {
  Account accounts[MOST_ACCOUNTS];
  Meta metas[MOST_METAS];
  u64 count;
  const u8 *data;
  u64 size;
  const u8 *program;
  u8 scratch[4096];
} Call;
#define CALL ((Call *)0x300000000ULL)

// What an account may have grown by is kept free behind its data.
#define GROWTH 10240

static NOINLINE u64 read_input(const u8 *in, Call *c) {
  c->count = load64(in);
  in += 8;
  if (c->count > MOST_ACCOUNTS) return RUNTIME(NOT_ENOUGH_ACCOUNTS);
  for (u64 i = 0; i < c->count; i++) {
    Account *a = &c->accounts[i];
    if (in[0] != 0xff) { // one that was there already
      sol_memcpy_((u8 *)a, (const u8 *)&c->accounts[in[0]], sizeof(Account));
      in += 8;
      continue;
    }
    a->signer = in[1];
    a->writable = in[2];
    a->executable = in[3];
    a->key = (u8 *)in + 8;
    a->owner = (u8 *)in + 40;
    a->lamports = (u64 *)(in + 72);
    a->size = load64(in + 80);
    a->data = (u8 *)in + 88;
    in = (const u8 *)(((u64)(a->data + a->size + GROWTH) + 7) & ~7ULL);
    a->rent_epoch = load64(in);
    in += 8;
  }
  c->size = load64(in);
  c->data = in + 8;
  c->program = c->data + c->size;
  return 0;
}

INLINE int is(const Account *a, const u8 *key) { return equal(a->key, key, 32); }

INLINE u64 invoke(Call *c, const Instruction *i, const Signer *signer) {
  return sol_invoke_signed_c(i, c->accounts, c->count, signer, signer ? 1 : 0);
}

// close_account gives what an account has to another, and the account back to the system.
static NOINLINE void close_account(Account *a, Account *to) {
  *to->lamports += *a->lamports;
  *a->lamports = 0;
  sol_memset_(a->data, 0, a->size);
  sol_memset_(a->owner, 0, 32);
  store64(a->data - 8, 0); // its size
  a->size = 0;
}
