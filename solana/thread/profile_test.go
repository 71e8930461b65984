package thread

import (
	"encoding/hex"
	"testing"

	"github.com/gagliardetto/solana-go"
)

// The addresses and discriminators are those of the programs on the chain.
func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		profile Profile
		config  string
	}{
		{Newest(), "8JCimNTViHvAwkvEBsUtChZdEpm1XRdnraJCdbLKFR4z"},
		{Seed(), "GhjLzKGRWb82NF1DhroGFQTKs2kgJtj35Pd1E3nM2CC2"},
	} {
		config, err := c.profile.ConfigAddress()
		if err != nil || config.String() != c.config {
			t.Errorf("config of %s = %v, %v, want %s", c.profile.Name, config, err, c.config)
		}
		authority := solana.MustPublicKeyFromBase58("SysvarC1ock11111111111111111111111111111111")
		thread, bump, err := c.profile.ThreadAddress(authority, []byte("demo"))
		if err != nil {
			t.Fatal(err)
		}
		again, err := solana.CreateProgramAddress([][]byte{[]byte("thread"), authority[:], []byte("demo"), {bump}}, c.profile.Program)
		if err != nil || again != thread {
			t.Errorf("with its bump the thread of %s is at %v, %v, want %v", c.profile.Name, again, err, thread)
		}
		first, err := c.profile.FiberAddress(thread, 0)
		if err != nil {
			t.Fatal(err)
		}
		second, err := c.profile.FiberAddress(thread, 1)
		if err != nil || first == second {
			t.Errorf("fibers 0 and 1 of %s are at %v and %v, %v", c.profile.Name, first, second, err)
		}
		if got, err := ProfileOf(c.profile.Name); err != nil || got != c.profile {
			t.Errorf("ProfileOf(%s) = %v, %v", c.profile.Name, got, err)
		}
	}
	if _, _, err := Newest().ThreadAddress(Key{}, make([]byte, 33)); err == nil {
		t.Error("an id of 33 bytes has an address")
	}
	if _, err := ProfileOf("next"); err == nil {
		t.Error("a version that nobody knows has a profile")
	}
	if !Seed().IsSeed() || Newest().IsSeed() {
		t.Error("the seed era is not told from the newest")
	}
}

func TestDiscriminators(t *testing.T) {
	for name, want := range map[string]string{
		"exec_thread": "073e60de6f2a657c", "create_thread": "b6df40038521cc1a", "close_thread": "35e71031f7656d0b",
		"update_thread": "0ebdc22bef24ed76", "create_fiber": "fadb0b0a4ef915ce", "init_config": "17eb73e8a86001e7",
	} {
		d := InstructionDiscriminator(name)
		if got := hex.EncodeToString(d[:]); got != want {
			t.Errorf("instruction %s begins with %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{
		threadAccount: "ba1b9a6f33249f5a", configAccount: "d2b852f61cb3bde0", fiberAccount: "360bfb3c3fc55524", fiberVersions: "2cbdb10f9ca71456",
	} {
		d := AccountDiscriminator(name)
		if got := hex.EncodeToString(d[:]); got != want {
			t.Errorf("account %s begins with %s, want %s", name, got, want)
		}
	}
	if ThreadFilter() != AccountDiscriminator(threadAccount) {
		t.Error("threads are looked for by another discriminator than they have")
	}
}
