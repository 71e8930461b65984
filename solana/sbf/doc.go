// Package sbf makes programs of the Solana virtual machine out of what clang compiles for BPF: one object file in, one
// program of SBPF version 3 out.
//
// It must never know what a program does. It is part of the tests of the Solana executor and of no binary: the programs that
// the tests run on the virtual machine are written in C (solana/testdata/program) and linked here, because the linker of the
// Solana tools cannot be had without them. An object may have code and constants; variables and everything that would need
// relocation when the program is loaded are refused.
package sbf
