package thread

import (
	"crypto/sha256"
	"fmt"

	"github.com/gagliardetto/solana-go"
)

// Key is an address on the chain.
type Key = solana.PublicKey

// Profile is a version of the thread programs. It is a value; [Newest] and [Seed] are all there are.
type Profile struct {
	Name     string
	Program  Key // owns threads and the config
	Fibers   Key // owns fibers; of the seed era the same as Program
	NotReady uint32
	seed     bool
}

// Newest is the version that is deployed today.
func Newest() Profile {
	return Profile{
		Name:     "newest",
		Program:  solana.MustPublicKeyFromBase58("AgTv5w1UvUb6zeqkThwMrztGu9hpepBu8YLghuR4dpSx"),
		Fibers:   solana.MustPublicKeyFromBase58("AgFv5afjW9DmSPkiEvJ1er5bAAmRUqaBeTB6Cr8e1hKx"),
		NotReady: TriggerConditionFailed,
	}
}

// Seed is the first version with threads and fibers.
func Seed() Profile {
	program := solana.MustPublicKeyFromBase58("AgThdyi1P5RkVeZD2rQahTvs8HePJoGFFxKtvok5s2J1")
	return Profile{Name: "seed", Program: program, Fibers: program, NotReady: TriggerNotReady, seed: true}
}

// ProfileOf returns the profile of a name. The error names those that are known.
func ProfileOf(name string) (Profile, error) {
	for _, p := range []Profile{Newest(), Seed()} {
		if p.Name == name {
			return p, nil
		}
	}
	return Profile{}, fmt.Errorf("%q is no version of the thread program: it is %s or %s", name, Newest().Name, Seed().Name)
}

// IsSeed reports whether the program is of the seed era: no signals, no cursor, and pay from the thread's authority.
func (p Profile) IsSeed() bool { return p.seed }

// Payer is the placeholder in a fiber's list of accounts for the executor that pays.
func Payer() Key {
	return solana.MustPublicKeyFromBase58("AntegenPayer1111111111111111111111111111111")
}

// longestID is how many bytes an id of a thread may have: a seed of an address has no more.
const longestID = 32

// ThreadAddress returns where the thread of an authority is, and the bump that makes it one that no key has.
func (p Profile) ThreadAddress(authority Key, id []byte) (Key, uint8, error) {
	if len(id) > longestID {
		return Key{}, 0, fmt.Errorf("an id of a thread has %d bytes, %d are the limit", len(id), longestID)
	}
	return solana.FindProgramAddress([][]byte{[]byte("thread"), authority[:], id}, p.Program)
}

// FiberAddress returns where a fiber of a thread is.
func (p Profile) FiberAddress(thread Key, index uint8) (Key, error) {
	key, _, err := solana.FindProgramAddress([][]byte{[]byte("thread_fiber"), thread[:], {index}}, p.Fibers)
	return key, err
}

// ConfigAddress returns where the program's one config is.
func (p Profile) ConfigAddress() (Key, error) {
	key, _, err := solana.FindProgramAddress([][]byte{[]byte("thread_config")}, p.Program)
	return key, err
}

// Discriminator is what the data of an account or of an instruction begins with.
type Discriminator [8]byte

// AccountDiscriminator returns what accounts of a type begin with.
func AccountDiscriminator(name string) Discriminator { return discriminator("account:" + name) }

// InstructionDiscriminator returns what calls of an instruction begin with.
func InstructionDiscriminator(name string) Discriminator { return discriminator("global:" + name) }

func discriminator(of string) (d Discriminator) {
	sum := sha256.Sum256([]byte(of))
	copy(d[:], sum[:])
	return d
}

// The names of accounts, as the programs call them.
const (
	threadAccount = "Thread"
	configAccount = "ThreadConfig"
	fiberAccount  = "FiberState"
	fiberVersions = "FiberVersionedState"
)

// ThreadFilter is what the data of every thread begins with: programs' accounts are searched for it.
func ThreadFilter() Discriminator { return AccountDiscriminator(threadAccount) }
