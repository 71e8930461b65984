package thread

import "fmt"

// Bounds of a compiled instruction: an instruction has no more of them on the chain.
const (
	mostInstructions = 16
	mostAccounts     = 256
	mostSeeds        = 16
)

// Compiled is an instruction in the form that a fiber holds: accounts in a table, and what each may do by its place in it.
// The table holds signers that are written, signers that are read, others that are written, and the rest, in this order.
type Compiled struct {
	ReadSigners    uint8
	WrittenSigners uint8
	Written        uint8
	Program        uint8   // its place in Accounts
	Uses           []uint8 // places in Accounts, in the order of the instruction
	Data           []byte
	Accounts       []Key
}

// DecodeCompiled reads what a fiber executes, and checks that its numbers fit together. Of several instructions the
// programs execute the first.
func (p Profile) DecodeCompiled(data []byte) (*Compiled, error) {
	r := &reader{data: data}
	c := &Compiled{ReadSigners: r.u8("signers that are read"), WrittenSigners: r.u8("signers that are written"), Written: r.u8("accounts that are written")}
	n := r.count(1+4+4, mostInstructions, "instructions")
	for i := range n {
		program, uses, data := r.u8("program"), r.readList(mostAccounts, "accounts of an instruction"), r.readList(longestCompiled, "data of an instruction")
		if i == 0 {
			c.Program, c.Uses, c.Data = program, uses, data
		}
	}
	if p.seed {
		for range r.count(4, mostSeeds, "signers' seeds") {
			for range r.count(4, mostSeeds, "seeds of a signer") {
				r.readList(longestID, "seed")
			}
		}
	}
	c.Accounts = r.readKeys(mostAccounts, "accounts")
	c.check(r, n)
	if r.err != nil {
		return nil, fmt.Errorf("decode a compiled instruction: %w", r.err)
	}
	return c, nil
}

// check finds places that do not exist.
func (c *Compiled) check(r *reader, instructions int) {
	if r.err != nil {
		return
	}
	if instructions == 0 {
		r.keepError("there is no instruction")
		return
	}
	if named := int(c.ReadSigners) + int(c.WrittenSigners) + int(c.Written); named > len(c.Accounts) {
		r.keepError("it names %d accounts that sign or are written, and has %d", named, len(c.Accounts))
	}
	if int(c.Program) >= len(c.Accounts) {
		r.keepError("its program is account %d of %d", c.Program, len(c.Accounts))
	}
	for _, u := range c.Uses {
		if int(u) >= len(c.Accounts) {
			r.keepError("it uses account %d of %d", u, len(c.Accounts))
		}
	}
}

// IsSigner reports whether an account of the table signs.
func (c *Compiled) IsSigner(place int) bool {
	return place < int(c.ReadSigners)+int(c.WrittenSigners)
}

// IsWritten reports whether an account of the table is written.
func (c *Compiled) IsWritten(place int) bool {
	signers := int(c.ReadSigners) + int(c.WrittenSigners)
	return place < int(c.WrittenSigners) || place >= signers && place < signers+int(c.Written)
}
