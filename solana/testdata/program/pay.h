// What an execution pays. The program reckons the fee with numbers of the type double, which this machine has not got: the three
// operations that it takes are made of whole numbers here, and round as IEEE 754 does.
#pragma once
#include "vm.h"

// A Double is mantissa · 2^exponent, with a mantissa of 53 bits, or zero.
typedef struct { u64 mantissa; int exponent; } Double;
#define BITS 53
#define LONGEST_DECAY 1000 // seconds; the program allows 600

// quotient is a / b for 0 < a <= b <= LONGEST_DECAY.
INLINE Double quotient(u64 a, u64 b) {
  Double q = {0, 0};
  while (a < b) { a <<= 1; q.exponent--; }
  for (int i = 0; i < BITS; i++) {
    q.mantissa <<= 1;
    if (a >= b) { q.mantissa |= 1; a -= b; }
    a <<= 1;
  }
  q.exponent -= BITS - 1;
  if (a > b || (a == b && (q.mantissa & 1))) q.mantissa++; // a is twice what is left
  if (q.mantissa >> BITS) { q.mantissa >>= 1; q.exponent++; }
  return q;
}

// rounded brings a number of 128 bits to a mantissa: to the nearest, and to the even one between two.
INLINE Double rounded(u64 high, u64 low, int exponent) {
  u64 lost = 0; // the last bit that was shifted out, and below it whether there were others
  while (high != 0 || low >> BITS) {
    lost = (low & 1) << 1 | (lost != 0);
    low = low >> 1 | high << 63;
    high >>= 1;
    exponent++;
  }
  Double r = {low, exponent};
  if (lost > 2 || (lost == 2 && (low & 1))) r.mantissa++; // beyond 53 bits it is a power of two, and stays right
  return r;
}

// rest is 1 - q.
INLINE Double rest(Double q) { return rounded(0, (1ULL << -q.exponent) - q.mantissa, q.exponent); }

// product is n · d, cut off to a whole number.
INLINE u64 product(u64 n, Double d) {
  u64 a = n >> 32, b = n & 0xffffffff, c = d.mantissa >> 32, e = d.mantissa & 0xffffffff;
  u64 middle = a * e + (b * e >> 32);
  u64 cross = b * c + (middle & 0xffffffff);
  u64 high = a * c + (middle >> 32) + (cross >> 32);
  u64 low = cross << 32 | ((b * e) & 0xffffffff);
  Double p = rounded(high, low, d.exponent);
  return p.exponent >= 0 ? p.mantissa << p.exponent : (-p.exponent > 63 ? 0 : p.mantissa >> -p.exponent);
}

// The config's account: where its parts are.
enum { CONFIG_BUMP = 16, CONFIG_ADMIN = 17, CONFIG_PAUSED = 49, CONFIG_FEE = 50, CONFIG_EXECUTOR = 58, CONFIG_TEAM = 66,
       CONFIG_GRACE = 74, CONFIG_DECAY = 82, CONFIG_SIZE = 90 };

// effective is the fee of an execution that was ready for since seconds.
static NOINLINE u64 effective(const u8 *config, i64 since) {
  u64 fee = load64(config + CONFIG_FEE);
  i64 grace = (i64)load64(config + CONFIG_GRACE), decay = (i64)load64(config + CONFIG_DECAY);
  if (since <= grace) return fee;
  if (decay <= 0 || since - grace > decay) return 0;
  if (since - grace == decay) return 0;
  return product(fee, rest(quotient((u64)(since - grace), (u64)decay)));
}

typedef struct { u64 reimbursed, executor, team; } Pay;

// TRANSACTION_FEE is given back when the fiber has taken nothing from the executor.
#define TRANSACTION_FEE 5000

static NOINLINE void reckon(Pay *pay, const u8 *config, i64 since, i64 change, u8 forgo) {
  u64 fee = effective(config, since);
  pay->team = fee * load64(config + CONFIG_TEAM) / 10000;
  pay->executor = change > 0 || forgo ? 0 : fee * load64(config + CONFIG_EXECUTOR) / 10000;
  pay->reimbursed = change > 0 ? 0 : (change < 0 ? (u64)-change : TRANSACTION_FEE);
}
