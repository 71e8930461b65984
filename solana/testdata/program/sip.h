// SipHash-1-3 with the key zero, as Rust's standard library hashes.
#pragma once
#include "vm.h"

typedef struct { u64 a, b, c, d; } Sip;
#define ROTATE(x, n) ((x) << (n) | (x) >> (64 - (n)))

INLINE void sip_round(Sip *s) {
  s->a += s->b; s->b = ROTATE(s->b, 13) ^ s->a; s->a = ROTATE(s->a, 32);
  s->c += s->d; s->d = ROTATE(s->d, 16) ^ s->c;
  s->a += s->d; s->d = ROTATE(s->d, 21) ^ s->a;
  s->c += s->b; s->b = ROTATE(s->b, 17) ^ s->c; s->c = ROTATE(s->c, 32);
}

INLINE void sip_word(Sip *s, u64 word) {
  s->d ^= word;
  sip_round(s);
  s->a ^= word;
}

// sip hashes a word and the bytes behind it: all that is hashed here begins with a number of 64 bits.
static NOINLINE u64 sip(u64 first, const u8 *bytes, u64 size) {
  Sip s = {0x736f6d6570736575ULL, 0x646f72616e646f6dULL, 0x6c7967656e657261ULL, 0x7465646279746573ULL};
  sip_word(&s, first);
  u64 at = 0;
  for (; at + 8 <= size; at += 8) sip_word(&s, load64(bytes + at));
  u64 last = (size + 8) << 56;
  for (u64 shift = 0; at < size; at++, shift += 8) last |= (u64)bytes[at] << shift;
  sip_word(&s, last);
  s.c ^= 0xff;
  sip_round(&s);
  sip_round(&s);
  sip_round(&s);
  return s.a ^ s.b ^ s.c ^ s.d;
}

// jitter_offset is by how many seconds a thread is moved after an execution at prev.
static NOINLINE u64 jitter_offset(i64 prev, const u8 *thread, u64 jitter) {
  return jitter == 0 ? 0 : sip((u64)prev, thread, 32) % jitter;
}

// watched hashes a window of an account's data, as a slice is hashed: its length first.
static NOINLINE u64 watched(const Account *a, u64 offset, u64 size) {
  u64 from = offset < a->size ? offset : a->size;
  u64 left = a->size - from;
  u64 n = size < left ? size : left;
  return sip(n, a->data + from, n);
}

// later adds seconds to a time, and stops at the last one.
INLINE i64 later(i64 time, u64 seconds) {
  u64 last = 0x7fffffffffffffffULL;
  if (time >= 0 && seconds > last - (u64)time) return (i64)last;
  return (i64)((u64)time + seconds);
}
